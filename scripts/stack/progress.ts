/** Reports what is still under way while a start takes long. */

const everyMs = 5_000;

export interface Progress {
  /** `work`, which is named by `name` in the reports until it ends. */
  track<T>(name: string, work: Promise<T>): Promise<T>;
}

/** Says every five seconds what has not ended yet: "Still working after 10 s: Chromium, the dashboard." */
export function createProgress(say: (words: string) => void): Progress {
  const underWay = new Map<symbol, string>();
  let timer: NodeJS.Timeout | undefined;
  let seconds = 0;
  const report = () => {
    seconds += everyMs / 1000;
    say(`Still working after ${seconds} s: ${[...underWay.values()].join(", ")}.`);
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

/** The terminal's: one report names the work of all parts. */
export const progress = createProgress(console.log);
