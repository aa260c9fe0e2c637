/** What a crawl left out, by reason, with a few of the addresses. */

import type { AccountBatch } from "../api/types.ts";
import { count, counted } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { leftOutNames } from "./words.ts";

export function LeftOut({ crawl }: { crawl: NonNullable<AccountBatch["crawl"]> }) {
  const { left_out: all, deepest, depth, limit } = crawl;
  const aside = `Depth ${deepest} of ${depth} · at most ${counted(limit, "page")}`;
  return (
    <Section title="Left out" aside={<span className="tabular">{aside}</span>}>
      {all.length === 0 ? (
        <p className="text-muted">Nothing so far.</p>
      ) : (
        <ul className="divide-y divide-line text-sm">
          {all.map(({ reason, count: number, examples }) => (
            <li key={reason} className="grid gap-x-6 gap-y-1 py-3 first:pt-0 last:pb-0 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
              <p>
                <span className="tabular font-semibold">{count(number)}</span> {leftOutNames[reason]}
              </p>
              <ul className="min-w-0 text-muted">
                {examples.slice(0, examplesShown).map((address) => (
                  <li key={address} className="truncate" title={address}>
                    {address}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const examplesShown = 3;
