/**
 * Some of the servers of a catalogue, by their places in its order: a bit for each, 32 to a number. A caller's levels are laid
 * over each other word by word, and nothing of it is outside of the heap.
 */
export type Places = readonly number[];

export const hasPlace = (places: Places, at: number): boolean => (((places[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;

/** Of so many, those that are let through. */
export function placesWhere(count: number, isThere: (at: number) => boolean): Places {
  const words = noPlaces(count);
  for (let at = 0; at < count; at += 1)
    if (isThere(at)) words[at >>> 5] = (words[at >>> 5] as number) | (1 << (at & 31));
  return words;
}

/** None of so many; for whoever adds some. */
export const noPlaces = (count: number): number[] => new Array<number>(Math.ceil(count / 32)).fill(0);

export const arePlacesSame = (one: Places, other: Places): boolean => one.every((word, at) => word === other[at]);
