/** Output of a section: tables and bar charts. */

/** Cells are formatted text; the numbers are in the section's `data`. */
export interface Table {
  title: string;
  columns: string[];
  rows: string[][];
}

export interface Bars {
  title: string;
  /** Unit of the axis. */
  unit: string;
  bars: { label: string; value: number }[];
}
