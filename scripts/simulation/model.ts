/** The capacity model of docs/scaling.md: from captures per day to cores, machines and load on the stores. */

/** Measured cost of a capture. docs/scaling.md gives the source of each figure. */
const measured = {
  /** All processes except the stores; the mean of the benchmark's eight pages. */
  coreSeconds: 0.39,
  storeCoreSeconds: 0.002,
  memoryMbPerSlot: 110,
  memoryMbPerProcess: 100,
  imageKb: 49,
  /** Transactions in PostgreSQL: one reserves the capture, one records it. */
  transactions: 2,
  /** Including indexes. */
  rowBytes: 1_840,
};

/** Assumptions, to be replaced with your own. */
const assumed = {
  /** Ratio of the peak to the mean. */
  peak: 2,
  /** Utilization of the cores at the peak. */
  use: 0.7,
  coresPerMachine: 16,
  slotsPerCore: 4,
};

/**
 * Core-hours for a million captures. @param isScaled whether machines scale with the load; if not, the number needed at the peak runs
 * all day.
 */
export function coreHoursOfMillion(isScaled: boolean): number {
  return ((1e6 * measured.coreSeconds) / 3600 / assumed.use) * (isScaled ? 1 : assumed.peak);
}

/** Rows for 100,000 to 100 million captures per day. */
export function modelRows(): string[] {
  return [1e5, 1e6, 1e7, 1e8].map(modelRow);
}

function modelRow(perDay: number): string {
  const mean = perDay / 86_400;
  const peak = mean * assumed.peak;
  const cores = (peak * measured.coreSeconds) / assumed.use;
  const machines = Math.max(1, Math.ceil(cores / assumed.coresPerMachine));
  const gb = (cores * assumed.slotsPerCore * measured.memoryMbPerSlot + machines * measured.memoryMbPerProcess) / 1000;
  const cells = [
    perDay.toLocaleString("en"),
    short(mean),
    short(peak),
    short(cores),
    String(machines),
    short(gb),
    short(peak * measured.storeCoreSeconds),
    short(peak * measured.transactions),
    short((perDay * measured.rowBytes) / 1e9),
    short((perDay * measured.imageKb) / 1e6),
  ];
  return `| ${cells.join(" | ")} |`;
}

export const modelHead = [
  "| captures a day | mean/s | peak/s | cores | machines of 16 | GB of memory | cores of the stores | transactions/s | GB of rows a day | GB of images a day |",
  "| -: | -: | -: | -: | -: | -: | -: | -: | -: | -: |",
];

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)));
}
