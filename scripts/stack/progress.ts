/** Reports pending work while a start takes a long time: on a terminal in a single line, elsewhere with a line every five seconds. */

const everyMs = 5_000;
const redrawMs = 500;
const barLength = 16;
/** Further names would not fit next to the bar in 80 columns. */
const namesLengthMax = 44;

export interface Progress {
  /**
   * Returns `work`, and lists it as `name` in the reports until it settles.
   * @param size for the bar: its part of the whole, in any unit, and how much of it is done, from 0 to 1.
   */
  track<T>(name: string, work: Promise<T>, size?: Size): Promise<T>;
  /** Prints a line above the terminal's progress line. While a question is open, the line is printed after its answer. */
  say(message: string): void;
  /** Reports nothing until `question` settles. */
  hold<T>(question: Promise<T>): Promise<T>;
}

interface Size {
  whole: number;
  share?: () => number;
}

interface Options {
  print: (message: string) => void;
  /** Replaces the terminal's progress line; undefined if there is no terminal. */
  redraw?: ((line: string) => void) | undefined;
  /** Time from which the progress line counts seconds; reports without a terminal count from the start of the first work. */
  startedAt?: number;
}

/** Without a terminal, reports are lines such as "Still working after 10 s: Chromium, the dashboard." */
export function createProgress({ print, redraw, startedAt }: Options): Progress {
  const underWay = new Map<symbol, { name: string; size: Size | undefined }>();
  const held: string[] = [];
  let finished = 0; // sizes of completed work
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  let questions = 0;
  const names = () => [...new Set([...underWay.values()].map(({ name }) => name))];
  const report = () => {
    const seconds = Math.floor((Date.now() - ((redraw && startedAt) || since)) / 1000);
    if (questions > 0) return;
    if (redraw) redraw(`${barOf([...underWay.values()], finished)}${seconds} s: ${fitting(names())}`);
    else print(`Still working after ${seconds} s: ${names().join(", ")}.`);
  };
  const say = (message: string) => {
    if (questions > 0) return void held.push(message);
    redraw?.("");
    print(message);
  };
  return {
    say,
    async track(name, work, size) {
      const key = Symbol(name);
      if (underWay.size === 0) since = Date.now();
      underWay.set(key, { name, size });
      timer ??= setInterval(report, redraw ? redrawMs : everyMs);
      try {
        return await work;
      } finally {
        underWay.delete(key);
        finished += size?.whole ?? 0;
        if (underWay.size === 0) {
          clearInterval(timer);
          timer = undefined;
          finished = 0;
          if (questions === 0) redraw?.("");
        }
      }
    },
    async hold(question) {
      redraw?.("");
      questions += 1;
      try {
        return await question;
      } finally {
        questions -= 1;
        if (questions === 0) for (const message of held.splice(0)) print(message);
      }
    },
  };
}

/** `packages, Chromium, 2 more` */
function fitting(names: readonly string[]): string {
  const all = names.join(", ");
  if (all.length <= namesLengthMax || names.length < 3) return all;
  return `${names.slice(0, 2).join(", ")}, ${names.length - 2} more`;
}

/** `[####------------] 25 %, `; empty for work without sizes. */
function barOf(pending: readonly { size: Size | undefined }[], finished: number): string {
  const sizes = pending.flatMap(({ size }) => size ?? []);
  const whole = finished + sizes.reduce((sum, size) => sum + size.whole, 0);
  if (sizes.length === 0) return "";
  const done = (finished + sizes.reduce((sum, { whole: part, share }) => sum + part * (share?.() ?? 0), 0)) / whole;
  return `[${"#".repeat(Math.floor(done * barLength)).padEnd(barLength, "-")}] ${Math.floor(done * 100)} %, `;
}

/** Replaces the terminal's last line; an empty text removes it. */
function redrawTerminal(line: string): void {
  process.stdout.write(`\r\x1b[K${line.slice(0, (process.stdout.columns || 80) - 1)}`);
}

/** When the command started, before Node and the packages were available: set by `scripts/boot.cjs`, and not a setting of the service. */
export const startedAt = Number(process.env.TINTYPE_STARTED_AT) || Date.now();
delete process.env.TINTYPE_STARTED_AT;

/** Prints to standard output; shared, so that a single report lists all work. */
export const progress = createProgress({ print: console.log, redraw: process.stdout.isTTY ? redrawTerminal : undefined, startedAt });
