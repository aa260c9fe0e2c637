/** Closes what was opened, the last one first. */

import type { BaseLogger } from "pino";

/** Registers how to close `service`, and returns it. */
export type Opens = <T>(service: T, close: (service: T) => unknown) => T;

/** `closeAll` closes what was opened, the last one first. */
export function createCloser(log: BaseLogger) {
  const closers: (() => unknown)[] = [];
  const opens: Opens = (service, close) => {
    closers.push(() => close(service));
    return service;
  };
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        log.warn({ err: error }, "failed to close a component");
      }
    }
  };
  return { opens, closeAll };
}
