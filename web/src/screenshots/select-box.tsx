/** The checkbox that selects a screenshot, or all outputs of a capture. */

import { counted } from "../ui/format.ts";
import { shortAddress } from "./address.ts";
import type { Outputs } from "./captures.ts";

export interface Selection {
  has: (id: string) => boolean;
  /** Selects all of them, or deselects them if all are selected. */
  toggle: (ids: string[]) => void;
}

export function SelectBox({ outputs, selection }: { outputs: Outputs; selection: Selection }) {
  const address = shortAddress(outputs[0].url);
  return (
    <input
      type="checkbox"
      aria-label={`Select ${address}${outputs.length > 1 ? `, ${counted(outputs.length, "output")}` : ""}`}
      checked={outputs.every(({ id }) => selection.has(id))}
      onChange={() => selection.toggle(outputs.map(({ id }) => id))}
      className="relative z-10 size-4 accent-accent"
    />
  );
}
