import { randomUUID } from 'node:crypto';

/** A fresh random id, as in channel URIs. Handed in as `() => string`, so that tests are exact. */
export const newId = (): string => randomUUID();

/** The first 12 hex digits of the last time, with the dash between them. */
let last = { ms: Number.NaN, text: '' };

/**
 * A fresh id that begins with the time (RFC 9562, version 7): in an index rows stand as they came, so that a database writes
 * the end of it and not all over.
 */
export function newTimedId(nowMs: number, newId: () => string): string {
  const ms = Math.trunc(nowMs);
  if (ms !== last.ms) {
    const digits = ms.toString(16).padStart(12, '0');
    last = { ms, text: `${digits.slice(0, 8)}-${digits.slice(8)}-7` };
  }
  return last.text + newId().slice(15);
}
