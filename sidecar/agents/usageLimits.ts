import { Fault } from '../platform/faults.ts';

/** When a limit ends: a moment, a time span, or a time of day, as it was stated. */
export type LimitReset =
  /** Milliseconds since 1970. */
  | { readonly atMs: number }
  /** Milliseconds. */
  | { readonly inMs: number }
  | {
      /** 0 to 23. */
      readonly hour: number;
      readonly minute: number;
      /** IANA name. Absent: where the host runs. */
      readonly timeZone?: string;
      /** Absent: the next time that the clock shows it. */
      readonly date?: { readonly month: number; readonly day: number };
    };

/** An agent cannot go on before its account may call models again. The host parks the chat and sends the message then. */
export class UsageLimitReached extends Fault {
  /** Absent: nobody stated it. */
  readonly reset: LimitReset | undefined;

  /** @param said a sentence of the agent or of the provider of its model */
  constructor(agent: string, said: string, reset: LimitReset | undefined, cause: unknown) {
    super('usage_limited', `${agent} reached a usage limit: ${said}`, { cause });
    this.reset = reset;
  }
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const AFTER_BAR = /\|(\d{10})(?:\d{3})?\b/;
const SPAN =
  /\b(?:resets?|again|retry|wait)\b[^.\n]{0,30}?((?:\d+\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?=\b|\d)[\s,]*(?:and\s+)?)+)/i;
const TIME =
  /\b(?:resets?|again)\b(?:\s+(?:at|on))?\s+(?:([A-Z][a-z]{2})[a-z]*\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+at|,)?\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)?(?:\s*\(([\w/+-]+)\))?/i;

/** Reads when a limit ends from what a person would read, such as `resets 3pm (Europe/Berlin)` or `try again in 2 hours`. */
export function readReset(text: string): LimitReset | undefined {
  const seconds = AFTER_BAR.exec(text)?.[1];
  if (seconds !== undefined) return { atMs: Number(seconds) * 1_000 };
  const span = SPAN.exec(text)?.[1];
  if (span !== undefined) {
    const parts = [...span.matchAll(/(\d+)\s*([dhms])/gi)];
    return { inMs: parts.reduce((sum, [, n, unit]) => sum + Number(n) * (unitMs[unit!.toLowerCase()] ?? 0), 0) };
  }
  const [, month, day, hour, minute, half, timeZone] = TIME.exec(text) ?? [];
  if (hour === undefined || (minute === undefined && half === undefined)) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (hours > 23 || Number(minute ?? 0) > 59) return undefined;
  const at = month === undefined ? -1 : months.indexOf(month.toLowerCase());
  return {
    hour: hours,
    minute: Number(minute ?? 0),
    ...(timeZone !== undefined && isTimeZone(timeZone) && { timeZone }),
    ...(at >= 0 && { date: { month: at + 1, day: Number(day) } }),
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false; // a word in brackets that is no time zone
  }
}
