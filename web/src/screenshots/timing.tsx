/** How long a capture took: its phases, as a bar and in figures. */

import type { StoredScreenshot } from "../api/screenshot-queries.ts";
import { durationOf } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";

const phases = [
  { phase: "queue", text: "Waiting for a browser", color: "bg-edge" },
  { phase: "navigate", text: "Until the target responded", color: "bg-accent-mid" },
  { phase: "wait", text: "Until the page was ready", color: "bg-accent" },
  { phase: "shoot", text: "Taking the screenshot", color: "bg-ink" },
] as const;
/** Shares of the total below this are rounding errors. */
const restMin = 0.02;

export function Timing({ screenshot: { timings, duration_ms } }: { screenshot: StoredScreenshot }) {
  if (!timings && duration_ms === null) return null;
  const parts: { text: string; color: string; ms: number }[] = phases.map(({ phase, ...part }) => ({
    ...part,
    ms: timings?.[phase] ?? 0,
  }));
  // Outputs of one load don't include the load's time in any of their phases.
  const rest = (duration_ms ?? 0) - parts.reduce((sum, { ms }) => sum + ms, 0);
  if (rest > restMin * (duration_ms ?? 0)) parts.push({ text: "Everything else", color: "bg-line", ms: rest });
  return (
    <Section title="Timing" aside={duration_ms !== null && <span className="tabular">{durationOf(duration_ms)} in total</span>}>
      {timings && (
        <>
          <div aria-hidden="true" className="mb-4 flex h-2 gap-0.5 overflow-hidden rounded-full bg-line">
            {parts.map(({ text, color, ms }) => (
              <div key={text} className={`min-w-0.5 ${color}`} style={{ flexGrow: Math.max(ms, 1), flexBasis: 0 }} />
            ))}
          </div>
          <dl className="grid gap-1.5 text-sm">
            {parts.map(({ text, color, ms }) => (
              <div key={text} className="flex items-baseline gap-2.5">
                <span aria-hidden="true" className={`size-2 shrink-0 self-center rounded-full ${color}`} />
                <dt className="flex-1 text-muted">{text}</dt>
                <dd className="tabular">{durationOf(ms)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Section>
  );
}
