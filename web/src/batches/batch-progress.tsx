/** A batch's progress: the bar, captures by state, the rate, and the time left. */

import type { AccountBatch } from "../api/types.ts";
import { count, secondsOf, timeOf } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { BatchBar, StateDot } from "./batch-bar.tsx";
import { progressOf, stateNames, states } from "./words.ts";

export function BatchProgress({ batch }: { batch: AccountBatch }) {
  return (
    <Section title="Progress" aside={<span className="tabular">{asideOf(batch)}</span>}>
      <div className="grid gap-5">
        <BatchBar batch={batch} label="Progress" />
        <dl className="flex flex-wrap gap-x-8 gap-y-3">
          {states.map((state) => (
            <div key={state} className="grid">
              <dt className="flex items-center gap-2 text-sm text-muted">
                <StateDot state={state} />
                {stateNames[state]}
              </dt>
              <dd className="tabular text-xl font-semibold">{count(batch.counts[state])}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Section>
  );
}

function asideOf(batch: AccountBatch): string {
  if (batch.ended_at) return `Ended ${timeOf(batch.ended_at)}`;
  const { rate, seconds_left: left } = batch;
  return [
    progressOf(batch),
    ...(rate === null ? [] : [`${count(rate < 10 ? rate : Math.round(rate))} per minute`]),
    ...(left === null ? [] : [`about ${secondsOf(left)} left`]),
  ].join(" · ");
}
