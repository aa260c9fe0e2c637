/** The captures of a batch in the order of its request, filtered by state. */

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { batchCapturesQuery } from "../api/batch-queries.ts";
import type { AccountBatch } from "../api/types.ts";
import { SelectField } from "../ui/form/field.tsx";
import { count } from "../ui/format.ts";
import { ShowMore } from "../ui/show-more.tsx";
import { CaptureCard } from "./capture-card.tsx";
import { stateNames, states } from "./words.ts";

export function BatchCaptures({ batch: { id, counts, total } }: { batch: AccountBatch }) {
  const filter = useSearch({ from: "/account/batches/$id" });
  const navigate = useNavigate({ from: "/batches/$id" });
  const list = useSuspenseInfiniteQuery(batchCapturesQuery(id, filter));
  const captures = list.data.pages.flatMap((page) => page.captures);
  return (
    <section className="grid gap-4">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h2 className="text-lg font-semibold tracking-tight">Captures</h2>
        <SelectField
          label="State"
          name="status"
          value={filter.status ?? ""}
          onChange={({ target: { value } }) => void navigate({ search: { status: value || undefined }, replace: true, resetScroll: false })}
        >
          <option value="">All ({count(total)})</option>
          {states.map((state) => (
            <option key={state} value={state}>
              {stateNames[state]} ({count(counts[state])})
            </option>
          ))}
        </SelectField>
      </div>
      {captures.length === 0 ? (
        <p className="text-muted">No captures in this state.</p>
      ) : (
        <ul className="grid gap-6 sm:grid-cols-2 xl:grid-cols-4">
          {captures.map((capture) => (
            <CaptureCard key={capture.id} capture={capture} />
          ))}
        </ul>
      )}
      <ShowMore list={list} />
    </section>
  );
}
