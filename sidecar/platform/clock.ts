/** The only place that reads the wall clock. Handed in, so that tests choose the time. */
export interface Clock {
  /** RFC 3339, UTC, with milliseconds. */
  now(): string;
  /** Milliseconds since 1970; jumps when somebody sets the clock. */
  nowMs(): number;
  /** Milliseconds since some start; never goes back. For durations. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(Date.now()).toISOString(),
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
