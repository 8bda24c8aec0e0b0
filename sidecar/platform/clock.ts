/** The only place that reads the wall clock. Handed in, so that tests choose the time. */
export interface Clock {
  /** RFC 3339, UTC, with milliseconds. */
  now(): string;
  /** Milliseconds since 1970; jumps when somebody sets the clock. */
  nowMs(): number;
  /** Milliseconds since some start; never goes back. For durations. */
  monotonicMs(): number;
}

/** Text is made once a millisecond: making it costs more than all else that numbers an action. */
let last = { atMs: Number.NaN, text: '' };

function nowText(): string {
  const atMs = Date.now();
  if (atMs !== last.atMs) last = { atMs, text: new Date(atMs).toISOString() };
  return last.text;
}

export const systemClock: Clock = {
  now: nowText,
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
