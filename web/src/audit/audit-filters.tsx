/** Filters of the audit log: kind and days. */

import type { AuditFilter } from "../api/audit-queries.ts";
import { pickTexts, type Search } from "../search.ts";
import { DayFields } from "../ui/form/day-fields.tsx";
import { SelectField } from "../ui/form/field.tsx";
import { kindNames } from "./words.ts";

/** The filters from the query string. */
export const readAuditFilter = (search: Search): AuditFilter => pickTexts(search, ["kind", "since", "until", "user_id"]);

/** @param kinds the kinds that can be selected. */
export function AuditFilters({
  filter,
  kinds,
  onChange,
}: {
  filter: AuditFilter;
  kinds: (keyof typeof kindNames)[];
  /** An empty value means any. */
  onChange: (name: keyof AuditFilter, value: string) => void;
}) {
  return (
    <form
      aria-label="Filters"
      className="grid grid-cols-2 gap-4 *:min-w-0 *:first:col-span-2 sm:max-w-2xl sm:grid-cols-3 sm:*:first:col-span-1"
      onSubmit={(event) => event.preventDefault()}
    >
      <SelectField label="Kind" name="kind" value={filter.kind ?? ""} onChange={(event) => onChange("kind", event.target.value)}>
        <option value="">All</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {kindNames[kind]}
          </option>
        ))}
      </SelectField>
      <DayFields since={filter.since} until={filter.until} onChange={onChange} />
    </form>
  );
}
