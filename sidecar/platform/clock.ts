/** The only place that reads the wall clock. Handed in, so that tests choose the time. */
export interface Clock {
  /** RFC 3339, UTC, with milliseconds. */
  now(): string;
  /** Milliseconds since 1970; jumps when somebody sets the clock. */
  nowMs(): number;
  /** Milliseconds since some start; never goes back. For durations. */
  monotonicMs(): number;
}

/** Text is made once a second: making it costs more than all else that numbers an action. */
let last = { second: Number.NaN, text: '' };

/** RFC 3339, UTC, with milliseconds. @param ms since 1970; parts of one are cut off @throws {RangeError} beyond what dates have */
export function momentOf(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== last.second) last = { second, text: new Date(second * 1_000).toISOString().slice(0, -4) };
  return `${last.text}${String(Math.trunc(ms - second * 1_000)).padStart(3, '0')}Z`;
}

export const systemClock: Clock = {
  now: () => momentOf(Date.now()),
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
