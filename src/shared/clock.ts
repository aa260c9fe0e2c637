/** The current time, passed as a dependency so that tests can set it. */

export interface Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
}

export const systemClock: Clock = Date;
