/**
 * Whether it is quiet at that time of day. The first minute is quiet, the last named one is not; hours may cross midnight.
 * @param hours `22:00-07:00`, or empty for none
 */
export function isQuiet(hours: string, { hour, minute }: { readonly hour: number; readonly minute: number }): boolean {
  if (hours === '') return false;
  const [from = 0, to = 0] = hours
    .split('-')
    .map((it) => minutesOf(...(it.split(':').map(Number) as [number, number])));
  const now = minutesOf(hour, minute);
  return from <= to ? now >= from && now < to : now >= from || now < to;
}

const minutesOf = (hour: number, minute: number) => hour * 60 + minute;
