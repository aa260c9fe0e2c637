/** How a watch runs and compares, and where it reports. */

import { Link } from "@tanstack/react-router";
import type { Watch } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { buttonClass } from "../ui/button.tsx";
import { CopyAction } from "../ui/copy.tsx";
import { timeOf } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Fact, Facts, Section } from "../ui/page.tsx";
import { comparedNames, scheduleOf, shareOf } from "./words.ts";

export function WatchFacts({ watch }: { watch: Watch }) {
  const { compare, threshold, next_run_at: next, webhook_url: webhook, feed_url: feed, options, created_at: at } = watch;
  return (
    <Section title="Details">
      <Facts>
        <Fact name="Schedule">{scheduleOf(watch)}</Fact>
        <Fact name="Next run">{next ? <Ago time={next} /> : "paused"}</Fact>
        <Fact name="Compares">{comparedNames[compare]}</Fact>
        {threshold > 0 && <Fact name="Threshold">{shareOf(threshold)}</Fact>}
        {Object.entries(options).map(([name, value]) => (
          <Fact key={name} name={name}>
            <span className="font-mono text-[0.8125rem]">{[value].flat().join(", ")}</span>
          </Fact>
        ))}
        <Fact name="Webhook">
          {webhook ? (
            <>
              <span className="font-mono text-[0.8125rem] break-all">{webhook}</span>{" "}
              <Link to="/webhooks" className="text-accent underline underline-offset-4">
                Deliveries
              </Link>
            </>
          ) : (
            "none"
          )}
        </Fact>
        <Fact name="Created">{timeOf(at)}</Fact>
      </Facts>
      <div className="mt-5 flex flex-wrap gap-3">
        <a href={feed} target="_blank" rel="noreferrer" className={buttonClass}>
          <Icon name="feed" />
          Atom feed
        </a>
        <CopyAction label="Copy link" icon="link" copy={async () => await navigator.clipboard.writeText(feed)} />
      </div>
    </Section>
  );
}
