/** All options by group, with a search field; initially closed. */

import { useEffect, useRef, useState } from "react";
import { TextField } from "../ui/form/field.tsx";
import { useAnyProblem } from "../ui/form/form.tsx";
import { isShown, mainOptions } from "./main-options.tsx";
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
  const searching = query.trim() !== "";
  const terms = query.toLowerCase().split(/\s+/);
  const matching = groups
    .map(({ title, options }) => ({
      title,
      options: options.filter(({ name, about }) =>
        searching ? terms.every((term) => `${title} ${name} ${about}`.toLowerCase().includes(term)) : !mainOptions.includes(name),
      ),
    }))
    .filter(({ options }) => options.length > 0);
  const rest = groups.flatMap((group) => group.options.map(({ name }) => name)).filter((name) => !mainOptions.includes(name));
  const changed = rest.filter((name) => name in form.options && !isShown(name)).length;
  const [open] = useState(changed > 0);
  const wrong = useAnyProblem(rest);
  const section = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (wrong && section.current) section.current.open = true;
  }, [wrong]);
  return (
    <details ref={section} open={open} className="border-t border-line pt-4">
      <summary className="rounded font-medium">
        All options
        <Changed count={changed} />
      </summary>
      <div className="mt-4 grid gap-5">
        <TextField
          label="Search options"
          name="find"
          type="search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
        {matching.length === 0 && <p className="text-sm text-muted">No matching options.</p>}
        {matching.map((group) => (
          <Group key={`${group.title}${searching ? " found" : ""}`} group={group} startsOpen={searching} {...form} />
        ))}
      </div>
    </details>
  );
}

/** How many options in a closed section differ from their defaults. */
function Changed({ count }: { count: number }) {
  return count > 0 && <span className="ml-2 rounded-full bg-accent-soft px-2 py-0.5 text-xs text-accent">{count} set</span>;
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
        <Changed count={changed} />
      </summary>
      <div className="mt-4 grid gap-5">
        {members.map((option) => (
          <OptionField key={option.name} option={option} value={values[option.name]} onChange={(value) => onChange(option.name, value)} />
        ))}
      </div>
    </details>
  );
}
