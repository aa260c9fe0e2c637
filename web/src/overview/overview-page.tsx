/** The overview: usage, recent screenshots, and first steps. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { accountQuery, usageQuery } from "../api/queries.ts";
import { latestQuery } from "../api/screenshot-queries.ts";
import { byCapture } from "../screenshots/captures.ts";
import { ScreenshotCard } from "../screenshots/screenshot-card.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Empty, ExampleScreenshots } from "../ui/empty.tsx";
import { count } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Fact, Facts, Page, Section } from "../ui/page.tsx";
import { MonthMeter } from "../usage/month-meter.tsx";
import { UsageSection } from "../usage/usage-section.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { PausedNotice } from "./paused-notice.tsx";

const firstStepsEveryMs = 3_000;
/** Captures; each may have several screenshots. */
const shownMax = 6;

export function OverviewPage() {
  const { plan, keys, first_steps } = useSuspenseQuery({
    ...accountQuery,
    // Polled until all steps are done, so that they are ticked without a reload.
    refetchInterval: ({ state }) => (state.data && Object.values(state.data.first_steps).every(Boolean) ? false : firstStepsEveryMs),
  }).data;
  const { month } = useSuspenseQuery(usageQuery()).data;
  const latest = useSuspenseQuery(latestQuery).data;
  return (
    <Page
      title="Overview"
      actions={
        <ButtonLink to="/playground" look="primary">
          <Icon name="playground" />
          Take a screenshot
        </ButtonLink>
      }
    >
      <PausedNotice />
      <FirstSteps steps={first_steps} />
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Section title="This month" className="flex flex-col">
          <MonthMeter month={month} />
          <div className="mt-auto pt-6">
            <Facts>
              <Fact name="Plan">
                <Link to="/plan" className="text-accent underline underline-offset-4">
                  {plan.name}
                </Link>
              </Fact>
              <Fact name="Rate limit">{count(plan.rate_limit.requests)} requests per minute</Fact>
              <Fact name="API keys">
                {keys.used} of {keys.max}
              </Fact>
            </Facts>
          </div>
        </Section>
        <UsageSection />
      </div>
      <Section
        title="Latest screenshots"
        aside={
          latest.length > 0 && (
            <Link to="/screenshots" className="text-accent underline underline-offset-4">
              All screenshots
            </Link>
          )
        }
      >
        {latest.length === 0 ? (
          <Empty title="No screenshots yet" example={<ExampleScreenshots />}>
            Take one in the playground, without writing code.
          </Empty>
        ) : (
          <ul className="grid gap-5 sm:grid-cols-2 xl:grid-cols-3">
            {byCapture(latest)
              .slice(0, shownMax)
              .map((outputs) => (
                <ScreenshotCard key={outputs[0].id} outputs={outputs} />
              ))}
          </ul>
        )}
      </Section>
    </Page>
  );
}
