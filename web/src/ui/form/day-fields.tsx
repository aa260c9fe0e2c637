/** Filters for the first and the last day, as `YYYY-MM-DD`. */

import { TextField } from "./field.tsx";

interface DayFieldsProps {
  since: string | undefined;
  until: string | undefined;
  /** An empty value means any day. */
  onChange: (name: "since" | "until", value: string) => void;
}

export function DayFields({ since, until, onChange }: DayFieldsProps) {
  return (
    <>
      <TextField
        label="From"
        name="since"
        type="date"
        value={since ?? ""}
        max={until}
        onChange={(event) => onChange("since", event.target.value)}
      />
      <TextField
        label="To"
        name="until"
        type="date"
        value={until ?? ""}
        min={since}
        onChange={(event) => onChange("until", event.target.value)}
      />
    </>
  );
}
