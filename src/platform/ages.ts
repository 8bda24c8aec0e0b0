import type { Localizer } from './localizer.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, short enough for the end of a row: `now`, `5 min`, `3 h`, `2 d`, `4 wk`. A time to come reads as `now`. */
export function shortAge(l10n: Localizer, at: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(at);
  if (!(ageMs >= MINUTE)) return l10n.t('now');
  if (ageMs < HOUR) return l10n.t('{0} min', Math.floor(ageMs / MINUTE));
  if (ageMs < DAY) return l10n.t('{0} h', Math.floor(ageMs / HOUR));
  if (ageMs < 14 * DAY) return l10n.t('{0} d', Math.floor(ageMs / DAY));
  return l10n.t('{0} wk', Math.floor(ageMs / (7 * DAY)));
}

/** How long until a time to come, rounded up: `1 min`, `2 h 5 min`, `3 d`. */
export function timeLeft(l10n: Localizer, until: string, nowMs: number): string {
  const minutes = Math.max(1, Math.ceil((Date.parse(until) - nowMs) / MINUTE));
  if (minutes < 60) return l10n.t('{0} min', minutes);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours >= 48) return l10n.t('{0} d', Math.round(hours / 24));
  return rest === 0 ? l10n.t('{0} h', hours) : l10n.t('{0} h {1} min', hours, rest);
}

/** Whether both times fall on the same day where the window is. */
export function isSameDay(at: string, nowMs: number): boolean {
  return new Date(at).toDateString() === new Date(nowMs).toDateString();
}

/** How long something took: `42 s`, `5 min`, `1 h 3 min`. */
export function durationText(l10n: Localizer, ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return l10n.t('{0} s', Math.max(1, seconds));
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? l10n.t('{0} min', minutes) : l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}
