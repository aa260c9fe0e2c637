/** One request of a delivery, and its response. */

import type { ReactNode } from "react";
import type { WebhookDeliveryDetails } from "../api/types.ts";
import { CodeBlock } from "../ui/copy.tsx";
import { durationOf, timeOf } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";

type AttemptOf = WebhookDeliveryDetails["attempts"][number];

export function Attempt({ attempt }: { attempt: AttemptOf }) {
  const { number, started_at: at, duration_ms: duration, status, error, response_headers: headers, response_body: body } = attempt;
  return (
    <Section title={`Try ${number}`} aside={`${timeOf(at)}, ${durationOf(duration)}`}>
      <div className="grid gap-4">
        <p className={`text-sm ${error === null ? "text-good" : "text-bad"}`}>{error ?? `Accepted with status ${status}.`}</p>
        <Part title="Request headers">
          <CodeBlock code={headerText(attempt.request_headers)} what="the request's headers" />
        </Part>
        {headers && (
          <Part title={`Response: status ${status}`} open>
            {Object.keys(headers).length > 0 && <CodeBlock code={headerText(headers)} what="the response's headers" />}
            {body ? <CodeBlock code={body} what="the response's body" /> : <p className="text-sm text-muted">It has no body.</p>}
            {attempt.is_cut && <p className="text-sm text-muted">This is the body's beginning: it was longer or incomplete.</p>}
          </Part>
        )}
      </div>
    </Section>
  );
}

function Part({ title, open = false, children }: { title: string; open?: boolean; children: ReactNode }) {
  return (
    <details open={open}>
      <summary className="w-fit rounded text-sm font-medium text-muted hover:text-ink">{title}</summary>
      <div className="mt-3 grid gap-3">{children}</div>
    </details>
  );
}

const headerText = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
