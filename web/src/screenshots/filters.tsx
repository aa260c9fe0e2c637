/** The filters of the list of screenshots, kept in the page's URL. The most common ones are always visible. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { keysQuery } from "../api/queries.ts";
import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import { Button } from "../ui/button.tsx";
import { DayFields } from "../ui/form/day-fields.tsx";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { textOf } from "../ui/form/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { formats, nameOf } from "./formats.ts";
import { verdictNames } from "./verdict.tsx";

const visible = ["url", "status"];

interface FilterFieldsProps {
  filter: ScreenshotFilter;
  set: (name: keyof ScreenshotFilter, value: string) => void;
}

export function Filters({ filter }: { filter: ScreenshotFilter }) {
  const navigate = useNavigate({ from: "/screenshots" });
  const others = Object.keys(filter).filter((name) => !visible.includes(name)).length;
  const [isOpen, setOpen] = useState(others > 0);
  const set: FilterFieldsProps["set"] = (name, value) =>
    void navigate({ search: (before) => ({ ...before, [name]: value || undefined }), replace: true, resetScroll: false });
  return (
    <form
      aria-label="Filters"
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        set("url", textOf(new FormData(event.currentTarget), "url"));
      }}
    >
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-3 *:first:max-sm:col-span-2 sm:grid-cols-[minmax(0,1fr)_11rem_auto] sm:gap-4">
        <TextField
          key={filter.url}
          label="URL contains"
          name="url"
          type="search"
          defaultValue={filter.url}
          placeholder="example.com"
          onBlur={(event) => event.target.value !== (filter.url ?? "") && set("url", event.target.value)}
        />
        <SelectField label="Status" name="status" value={filter.status ?? ""} onChange={(event) => set("status", event.target.value)}>
          <option value="">All</option>
          <option value="done">Captured</option>
          <option value="failed">Failed</option>
          <option value="pending">Pending</option>
        </SelectField>
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? "close" : "filters"} />
          {isOpen ? "Fewer filters" : "More filters"}
          {!isOpen && others > 0 && <span className="tabular rounded-full bg-accent-soft px-1.5 text-xs text-accent">{others}</span>}
        </Button>
      </div>
      {isOpen && <OtherFilters filter={filter} set={set} />}
    </form>
  );
}

function OtherFilters({ filter, set }: FilterFieldsProps) {
  const keys = useSuspenseQuery(keysQuery).data;
  return (
    <div className="grid grid-cols-2 gap-3 *:min-w-0 sm:gap-4 lg:grid-cols-5">
      <SelectField label="Key" name="key_id" value={filter.key_id ?? ""} onChange={(event) => set("key_id", event.target.value)}>
        <option value="">All</option>
        <option value="playground">Playground</option>
        {keys.map(({ id, name, hint }) => (
          <option key={id} value={id}>
            {name} ({hint})
          </option>
        ))}
      </SelectField>
      <SelectField label="Format" name="format" value={filter.format ?? ""} onChange={(event) => set("format", event.target.value)}>
        <option value="">All</option>
        {formats.map((format) => (
          <option key={format} value={format}>
            {nameOf(format)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Verdict" name="verdict" value={filter.verdict ?? ""} onChange={(event) => set("verdict", event.target.value)}>
        <option value="">All</option>
        <option value="ok">The page</option>
        {Object.entries(verdictNames).map(([verdict, name]) => (
          <option key={verdict} value={verdict}>
            {name}
          </option>
        ))}
        <option value="unknown">Unknown</option>
      </SelectField>
      <DayFields since={filter.since} until={filter.until} onChange={set} />
    </div>
  );
}
