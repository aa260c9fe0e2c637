/** Stand-in for `Slots` in a process without browsers. */

import { AppError } from "../shared/errors.ts";
import type { Slots } from "./slots.ts";

export const noSlots: Slots = {
  start: async () => {},
  lend: () => Promise.reject(new AppError("unavailable", { message: "This process has no browsers." })),
  check: async () => {},
  state: () => ({ running: 0, waiting: 0, idle: 0, started: 0, max: 0 }),
  stopQueue: () => {},
  close: async () => {},
};
