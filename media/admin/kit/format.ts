import { t } from '../../shared/l10n.ts';
import { dollars, fixed, number } from '../../shared/numbers.ts';

/** Shown where there is no value. */
export const none = '–';

export const count = (value: number): string => number(value);

/** US dollars: four places below ten cents, since calls cost fractions of one. */
export function money(value: number | null | undefined): string {
  if (value == null) return none;
  const digits = value !== 0 && Math.abs(value) < 0.1 ? 4 : 2;
  return dollars(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** US dollars per million tokens. */
export const price = (value: number): string =>
  dollars(value, { minimumFractionDigits: 2, maximumFractionDigits: 4, useGrouping: false });

/** @param value percent */
export function percent(value: number | null): string {
  if (value === null) return none;
  return number(value / 100, { style: 'percent', maximumFractionDigits: value > 99 && value < 100 ? 2 : 1 });
}

export function duration(ms: number): string {
  if (ms < 1) return t('under 1 ms');
  if (ms < 1_000) return t('{0} ms', Math.round(ms));
  return t('{0} s', fixed(ms / 1_000, ms < 10_000 ? 2 : 1));
}

const units = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', mo: 'month' } as const;
/** A duration such as `30d` in words. */
export function period(text: string): string {
  const [, amount, unit] = /^(\d+)(s|m|h|d|w|mo)$/.exec(text) ?? [];
  if (amount === undefined) return text;
  return number(Number(amount), { style: 'unit', unit: units[unit as keyof typeof units], unitDisplay: 'long' });
}

/** An RFC 3339 time as `2026-11-21 08:30:12`, UTC like every day here. */
export const moment = (time: string | null | undefined): string =>
  time == null || time === '' ? none : time.slice(0, 19).replace('T', ' ');

export const day = (time: string | null | undefined): string =>
  time == null || time === '' ? none : time.slice(0, 10);

/** @param date YYYY-MM-DD */
export function addDays(date: string, by: number): string {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + by);
  return at.toISOString().slice(0, 10);
}

/** The first characters of a hash: enough to tell keys apart. */
export const shortHash = (hash: string): string => `${hash.slice(0, 8)}…`;

/** A name of others with what nobody sees in it written out, so that two names that look alike are told apart. */
export const escaped = (name: string): string =>
  name.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu,
    (it) => `\\u{${it.codePointAt(0)!.toString(16).toUpperCase()}}`,
  );

/** Words for a field that has none of its own: `max_budget` reads `Max budget`. */
export function humanised(name: string): string {
  const words = name.split('.').at(-1)!.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first of several names, and how many more there are. */
export function list(values: readonly string[] | null | undefined): string {
  if (!values || values.length === 0) return none;
  return values.length <= 3
    ? values.join(', ')
    : t('{0} and {1} more', values.slice(0, 2).join(', '), values.length - 2);
}
