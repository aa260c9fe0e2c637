/** A delivery: what was sent, every attempt with its response, and resending. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { deliveryQuery } from "../api/webhook-queries.ts";
import { Ago } from "../ui/ago.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { timeOf } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Fact, Facts, Page, Section } from "../ui/page.tsx";
import { Attempt } from "./attempt.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { Resend } from "./resend.tsx";

export function DeliveryPage() {
  const { id } = useParams({ from: "/account/webhooks/$id" });
  const { delivery, body, attempts } = useSuspenseQuery(deliveryQuery(id)).data;
  const { state, error, tries, tries_max: max, next_try_at: next } = delivery;
  return (
    <Page
      title={delivery.type}
      about={
        <span className="flex flex-wrap items-center gap-3">
          <code className="font-mono text-sm break-all">{delivery.url}</code>
          <DeliveryState delivery={delivery} />
        </span>
      }
      actions={<Resend delivery={delivery} />}
    >
      {error && <Notice tone={state === "failed" ? "bad" : "warn"}>{error}</Notice>}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="grid gap-6">
          <Section title="Details">
            <Facts>
              <Fact name="webhook-id">
                <code className="font-mono break-all">{delivery.id}</code>
              </Fact>
              <Fact name="Created">{timeOf(delivery.created_at)}</Fact>
              <Fact name="Tries">
                {tries} of {max}
              </Fact>
              {next && (
                <Fact name="Next try">
                  <Ago time={next} />
                </Fact>
              )}
              {delivery.settled_at && <Fact name={state === "failed" ? "Given up" : "Delivered"}>{timeOf(delivery.settled_at)}</Fact>}
            </Facts>
          </Section>
          <Section title="Body">
            <CodeBlock code={indented(body)} what="the body" />
            <p className="text-sm text-muted">Indented here; it is sent without whitespace.</p>
          </Section>
        </div>
        <div className="grid gap-6">
          {attempts.length === 0 && <p className="text-muted">{state === "pending" ? "It is being sent…" : "It was never sent."}</p>}
          {attempts.map((attempt) => (
            <Attempt key={attempt.number} attempt={attempt} />
          ))}
        </div>
      </div>
    </Page>
  );
}

const indented = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);
