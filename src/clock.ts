/** The time, as an argument: whatever decides by it can be tested at any hour. */

export interface Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
