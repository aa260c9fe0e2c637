/** All options by group, with a search field. */

import { useState } from "react";
import { TextField } from "../ui/field.tsx";
import { useAnyProblem } from "../ui/form.tsx";
import { OptionField } from "./option-field.tsx";
import type { OptionGroup, Values } from "./parameters.ts";

interface OptionsProps {
  groups: OptionGroup[];
  values: Values;
  /** The values that differ from the defaults. */
  options: Values;
  onChange: (name: string, value: string | string[]) => void;
}

export function Options({ groups, ...form }: OptionsProps) {
  const [query, setQuery] = useState("");
  const terms = query.toLowerCase().split(/\s+/);
  const matching = groups
    .map(({ title, options }) => ({
      title,
      options: options.filter(({ name, about }) => terms.every((term) => `${title} ${name} ${about}`.toLowerCase().includes(term))),
    }))
    .filter(({ options }) => options.length > 0);
  const searching = query.trim() !== "";
  return (
    <>
      <TextField
        label="Search options"
        name="find"
        type="search"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
      {matching.length === 0 && <p className="text-sm text-muted">No options match.</p>}
      {matching.map((group, index) => (
        <Group key={`${group.title}${searching ? " found" : ""}`} group={group} startsOpen={searching || index === 0} {...form} />
      ))}
    </>
  );
}

interface GroupProps extends Omit<OptionsProps, "groups"> {
  group: OptionGroup;
  startsOpen: boolean;
}

/** Initially open if one of its options is set; opens when one is invalid. */
function Group({ group: { title, options: members }, values, options, startsOpen, onChange }: GroupProps) {
  const changed = members.filter(({ name }) => name in options).length;
  const [open] = useState(startsOpen || changed > 0);
  const wrong = useAnyProblem(members.map(({ name }) => name));
  return (
    <details open={open || wrong} className="border-t border-line pt-4">
      <summary className="rounded font-medium">
        {title}
        {changed > 0 && <span className="ml-2 rounded-full bg-accent-soft px-2 py-0.5 text-xs text-accent">{changed} set</span>}
      </summary>
      <div className="mt-4 grid gap-5">
        {members.map((option) => (
          <OptionField key={option.name} option={option} value={values[option.name]} onChange={(value) => onChange(option.name, value)} />
        ))}
      </div>
    </details>
  );
}
