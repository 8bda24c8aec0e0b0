/**
 * A set of servers in a catalogue. Each server has one bit at its place in the catalogue's order, 32 bits per number, so that the
 * levels of a caller are combined 32 servers at a time.
 */
export type Places = readonly number[];

export const hasPlace = (places: Places, at: number): boolean => (((places[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;

/** The places, among `count`, for which `isThere` is true. */
export function placesWhere(count: number, isThere: (at: number) => boolean): Places {
  const words = noPlaces(count);
  for (let at = 0; at < count; at += 1)
    if (isThere(at)) words[at >>> 5] = (words[at >>> 5] as number) | (1 << (at & 31));
  return words;
}

/** An empty set of `count` places, for callers that add some. */
export const noPlaces = (count: number): number[] => new Array<number>(Math.ceil(count / 32)).fill(0);

export const arePlacesSame = (one: Places, other: Places): boolean => one.every((word, at) => word === other[at]);
