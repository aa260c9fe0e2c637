/** What happened during a capture: its steps and the page's requests as a timeline, and what went wrong on the page. */

import type { Explanation as Explained } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { count, counted, durationOf } from "../ui/format.ts";
import { Fact, Facts, Section } from "../ui/page.tsx";

type Request = Explained["requests"][number];

export function Explanation({ explanation }: { explanation: Explained }) {
  const { steps, redirects, requests, requests_total: total, refused, console } = explanation;
  const facts = redirects.length + refused.length + console.length > 0;
  return (
    <Section
      title="What happened"
      aside={total > requests.length ? `${count(requests.length)} of ${count(total)} requests` : counted(total, "request")}
    >
      <Timeline steps={steps} requests={requests} />
      {facts && (
        <div className="mt-6">
          <Facts>
            {redirects.map(({ from, to, status }) => (
              <Fact key={`${from} ${to}`} name="Redirect">
                {from} → {to} ({status})
              </Fact>
            ))}
            {refused.map(({ host, port, reason }) => (
              <Fact key={`${host} ${port} ${reason}`} name="Refused">
                {host}:{port}: {reason}
              </Fact>
            ))}
            {console.map(({ level, text, source }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a page may log the same text twice, and the list never changes
              <Fact key={index} name={level === "error" ? "Page error" : "Page warning"}>
                <span className="font-mono text-[0.8125rem]">{text}</span> {source && <span className="text-muted">{source}</span>}
              </Fact>
            ))}
          </Facts>
        </div>
      )}
    </Section>
  );
}

function Timeline({ steps, requests }: Pick<Explained, "steps" | "requests">) {
  const end = Math.max(1, ...steps.map(({ at }) => at), ...requests.map(({ at, duration }) => at + (duration ?? 0)));
  const rows = [...steps.map((step) => ({ at: step.at, step })), ...requests.map((request) => ({ at: request.at, request }))];
  rows.sort((a, b) => a.at - b.at);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section aria-label="Timeline" tabIndex={0} className="max-h-[32rem] overflow-auto rounded-lg border border-line">
      <table className="w-full min-w-[38rem] table-fixed text-left text-sm">
        <thead className="sticky top-0 bg-surface text-muted">
          <tr>
            <th className="w-20 px-3 py-2 font-medium">Start</th>
            <th className="px-3 py-2 font-medium">Step or request</th>
            <th className="w-28 px-3 py-2 font-medium">Result</th>
            <th className="w-1/4 px-3 py-2 font-medium">Duration</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several requests may be identical, and the list never changes
            <tr key={index} className="border-t border-line align-top">
              <td className="tabular px-3 py-1.5 text-muted">{durationOf(row.at)}</td>
              {"step" in row ? (
                <td colSpan={3} className="px-3 py-1.5 font-medium wrap-anywhere">
                  {row.step.text}
                </td>
              ) : (
                <RequestCells request={row.request} end={end} />
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const tones = { done: "plain", failed: "bad", blocked: "warn", pending: "warn" } as const;

function RequestCells({ request: { at, duration, url, type, status, outcome, reason }, end }: { request: Request; end: number }) {
  const tone = outcome === "done" && status !== null && status >= 400 ? "bad" : tones[outcome];
  return (
    <>
      <td className="px-3 py-1.5 break-all">
        {url} <span className="text-muted">{reason === null ? type : `${type}, ${reason}`}</span>
      </td>
      <td className="px-3 py-1.5">
        <Badge tone={tone}>{outcome === "done" ? (status ?? "done") : outcome}</Badge>
      </td>
      <td className="px-3 py-1.5">
        <div className="grid grid-cols-[minmax(0,1fr)_5rem] items-center gap-2">
          <div
            className={`h-2 min-w-0.5 rounded-full ${duration === null ? "bg-warn" : "bg-accent-mid"}`}
            style={{ marginLeft: `${(at / end) * 100}%`, width: `${((duration ?? Math.max(0, end - at)) / end) * 100}%` }}
          />
          <span className="tabular text-right text-xs text-muted">{duration === null ? "not finished" : durationOf(duration)}</span>
        </div>
      </td>
    </>
  );
}
