/** The box that selects a screenshot. */

import type { HistoryEntry } from "../api/types.ts";
import { shortAddress } from "./address.ts";

export interface Selection {
  has: (id: string) => boolean;
  toggle: (id: string) => void;
}

export function SelectBox({ screenshot: { id, url }, selection }: { screenshot: HistoryEntry; selection: Selection }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${shortAddress(url)}`}
      checked={selection.has(id)}
      onChange={() => selection.toggle(id)}
      className="relative z-10 size-4 accent-accent"
    />
  );
}
