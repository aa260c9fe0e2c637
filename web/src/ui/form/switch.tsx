/** On or off, with immediate effect. */

import { type ReactNode, useId } from "react";

interface SwitchProps {
  label: string;
  /** Shown next to the switch. */
  aside?: ReactNode;
  name: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function Switch({ label, aside, name, checked, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex min-h-9 items-center gap-3 text-sm">
      <input
        id={id}
        name={name}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox has its state in `checked`
        role="switch"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="relative h-5 w-9 shrink-0 cursor-pointer appearance-none rounded-full border border-edge bg-sunken before:absolute before:top-0.5 before:left-0.5 before:size-3.5 before:rounded-full before:bg-edge checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-surface motion-safe:before:transition-transform"
      />
      <label htmlFor={id} className="min-w-0 flex-1 cursor-pointer font-medium">
        {label}
      </label>
      {aside}
    </div>
  );
}
