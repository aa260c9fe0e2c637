/** A slider for a percentage, 0 to 100, between two named ends. */

import { useId } from "react";

interface RangeProps {
  label: string;
  /** Labels of its ends. */
  ends: [string, string];
  value: number;
  onChange: (value: number) => void;
}

export function Range({ label, ends: [from, to], value, onChange }: RangeProps) {
  const id = useId();
  return (
    <div className="flex items-center gap-3 text-sm text-muted">
      <span aria-hidden="true">{from}</span>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        value={value}
        aria-valuetext={`${value} %`}
        onChange={(event) => onChange(Number(event.target.value))}
        className="h-6 min-w-0 flex-1 cursor-pointer accent-accent"
      />
      <span aria-hidden="true">{to}</span>
    </div>
  );
}
