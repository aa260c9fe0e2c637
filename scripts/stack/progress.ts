/** Reports pending work while a start takes long. */

const everyMs = 5_000;

export interface Progress {
  /** Returns `work`, and lists it as `name` in the reports until it settles. */
  track<T>(name: string, work: Promise<T>): Promise<T>;
}

/** Prints pending work every five seconds: "Still working after 10 s: Chromium, the dashboard." */
export function createProgress(print: (message: string) => void): Progress {
  const underWay = new Map<symbol, string>();
  let timer: NodeJS.Timeout | undefined;
  let seconds = 0;
  const report = () => {
    seconds += everyMs / 1000;
    print(`Still working after ${seconds} s: ${[...underWay.values()].join(", ")}.`);
  };
  return {
    async track(name, work) {
      const key = Symbol(name);
      underWay.set(key, name);
      timer ??= setInterval(report, everyMs);
      try {
        return await work;
      } finally {
        underWay.delete(key);
        if (underWay.size === 0) {
          clearInterval(timer);
          timer = undefined;
          seconds = 0;
        }
      }
    },
  };
}

/** Prints to the terminal; shared, so that one report lists all work. */
export const progress = createProgress(console.log);
