import * as z from 'zod';

/** Activity in bits 0 to 4 (one at a time), flags above (`host.status.activity-bits`). Unknown high bits are kept. */
export const SessionStatus = z.int().min(0).max(0xffff_ffff);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const status = { Idle: 1, Error: 2, InProgress: 8, InputNeeded: 24, IsRead: 32, IsArchived: 64 } as const;
const ACTIVITY_MASK = 31;

export type Activity = typeof status.Idle | typeof status.Error | typeof status.InProgress | typeof status.InputNeeded;

/** The activity alone. Anything that is none of the four (0, or a bit of a newer peer) answers as it is. */
export function activityOf(value: SessionStatus): number {
  return value & ACTIVITY_MASK;
}
export function withActivity(value: SessionStatus, activity: number): SessionStatus {
  return ((value & ~ACTIVITY_MASK) | activity) >>> 0;
}
export function withFlag(value: SessionStatus, flag: number, isSet: boolean): SessionStatus {
  return (isSet ? value | flag : value & ~flag) >>> 0;
}
export function hasFlag(value: SessionStatus, flag: number): boolean {
  return (value & flag) !== 0;
}
