/** What a section shows: tables and bars. */

/** Cells are text as it is shown; the numbers behind them are in the section's `data`. */
export interface Table {
  title: string;
  columns: string[];
  rows: string[][];
}

export interface Bars {
  title: string;
  /** Of the axis. */
  unit: string;
  bars: { label: string; value: number }[];
}
