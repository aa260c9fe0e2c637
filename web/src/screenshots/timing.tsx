/** How long a capture took: its phases, as a bar and in figures. */

import type { StoredScreenshot } from "../api/screenshot-queries.ts";
import { durationOf } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";

const phases = [
  { phase: "queue", text: "Waiting for a browser", colour: "bg-edge" },
  { phase: "navigate", text: "Until the target responded", colour: "bg-accent-mid" },
  { phase: "wait", text: "Until the page was ready", colour: "bg-accent" },
  { phase: "shoot", text: "Taking the screenshot", colour: "bg-ink" },
] as const;
/** Shares of the total below this are rounding. */
const restMin = 0.02;

export function Timing({ screenshot: { timings, duration_ms } }: { screenshot: StoredScreenshot }) {
  if (!timings && duration_ms === null) return null;
  const parts: { text: string; colour: string; ms: number }[] = phases.map(({ phase, ...part }) => ({
    ...part,
    ms: timings?.[phase] ?? 0,
  }));
  // Outputs of one load have the load's time in none of their phases.
  const rest = (duration_ms ?? 0) - parts.reduce((sum, { ms }) => sum + ms, 0);
  if (rest > restMin * (duration_ms ?? 0)) parts.push({ text: "Everything else", colour: "bg-line", ms: rest });
  return (
    <Section title="Timing" aside={duration_ms !== null && <span className="tabular">{durationOf(duration_ms)} in total</span>}>
      {timings && (
        <>
          <div aria-hidden="true" className="mb-4 flex h-2 gap-0.5 overflow-hidden rounded-full bg-line">
            {parts.map(({ text, colour, ms }) => (
              <div key={text} className={`min-w-0.5 ${colour}`} style={{ flexGrow: Math.max(ms, 1), flexBasis: 0 }} />
            ))}
          </div>
          <dl className="grid gap-1.5 text-sm">
            {parts.map(({ text, colour, ms }) => (
              <div key={text} className="flex items-baseline gap-2.5">
                <span aria-hidden="true" className={`size-2 shrink-0 self-center rounded-full ${colour}`} />
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
