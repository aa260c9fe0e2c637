/** A choice between a few options, all visible: radio buttons in one row. */

import { type ReactNode, useId } from "react";
import { Icon, type IconName } from "../icon.tsx";

interface Choice<Value extends string> {
  value: Value;
  label: string;
  icon?: IconName;
}

interface SegmentedProps<Value extends string> {
  label: string;
  /** Shown next to the label. */
  aside?: ReactNode;
  /** Shows the label only to screen readers. */
  hideLabel?: boolean;
  /** Shows only the icons. */
  iconsOnly?: boolean;
  /** Makes it as wide as its parent. */
  wide?: boolean;
  choices: Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

export function Segmented<Value extends string>({
  label,
  aside,
  hideLabel = false,
  iconsOnly = false,
  wide = false,
  choices,
  value,
  onChange,
}: SegmentedProps<Value>) {
  const id = useId();
  return (
    <fieldset className="min-w-0">
      <legend className={hideLabel ? "sr-only" : "mb-1.5 flex w-full items-baseline justify-between gap-3 text-sm font-medium"}>
        {label}
        {aside}
      </legend>
      <div className={`${wide ? "flex" : "inline-flex"} max-w-full overflow-x-auto rounded-lg border border-line bg-sunken p-0.5`}>
        {choices.map((choice) => (
          <label
            key={choice.value}
            title={iconsOnly ? choice.label : undefined}
            className={`relative inline-flex min-h-8.5 items-center justify-center gap-2 rounded-md border border-transparent px-3 text-sm font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink has-checked:border-edge has-checked:bg-surface has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent ${wide ? "flex-1" : ""}`}
          >
            <input
              type="radio"
              name={id}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
              className="absolute inset-0 cursor-pointer appearance-none focus-visible:outline-none"
            />
            {choice.icon && <Icon name={choice.icon} />}
            <span className={iconsOnly ? "sr-only" : ""}>{choice.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
