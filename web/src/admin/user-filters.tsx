/** User search, filters and sort order. */

import type { UserFilter } from "../api/admin-queries.ts";
import type { AdminPlan } from "../api/types.ts";
import { pickTexts, type Search } from "../search.ts";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { textOf } from "../ui/form/form.tsx";

/** The filters from the query string. */
export const readUserFilter = (search: Search): UserFilter => pickTexts(search, ["search", "plan_id", "use", "sort"]);

interface Props {
  filter: UserFilter;
  plans: AdminPlan[];
  onChange: (name: keyof UserFilter, value: string) => void;
}

export function UserFilters({ filter, plans, onChange }: Props) {
  return (
    <form
      aria-label="Filters"
      className="grid grid-cols-2 gap-4 *:min-w-0 *:first:col-span-2 lg:grid-cols-[2fr_repeat(3,1fr)] lg:*:first:col-span-1"
      onSubmit={(event) => {
        event.preventDefault();
        onChange("search", textOf(new FormData(event.currentTarget), "search"));
      }}
    >
      <TextField
        key={filter.search}
        label="Name or e-mail contains"
        name="search"
        type="search"
        defaultValue={filter.search}
        onBlur={(event) => event.target.value !== (filter.search ?? "") && onChange("search", event.target.value)}
      />
      <SelectField label="Plan" name="plan_id" value={filter.plan_id ?? ""} onChange={(event) => onChange("plan_id", event.target.value)}>
        <option value="">All</option>
        {plans.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Used this month" name="use" value={filter.use ?? ""} onChange={(event) => onChange("use", event.target.value)}>
        <option value="">Anything</option>
        <option value="none">Nothing</option>
        <option value="some">Something</option>
        <option value="most">At least 80 %</option>
        <option value="all">Quota used up</option>
      </SelectField>
      <SelectField label="Sort by" name="sort" value={filter.sort ?? ""} onChange={(event) => onChange("sort", event.target.value)}>
        <option value="">Newest</option>
        <option value="usage">Most used this month</option>
        <option value="plan">Highest plan</option>
      </SelectField>
    </form>
  );
}
