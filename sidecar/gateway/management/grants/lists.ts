import { exceeds } from './exceeds.ts';

type List = readonly string[] | null | undefined;

/** Lists of which an absent or empty one means everything. @throws {Fault} `forbidden` naming the field */
export function checkSubset(field: string, held: List, wanted: List, covers = isSame): void {
  if (!held || held.length === 0) return;
  const isCovered = wanted?.every((it) => held.some((own) => covers(own, it))) ?? false;
  if (!isCovered || wanted?.length === 0) throw exceeds(field, held.join(', '));
}

/** Lists of what is checked: whoever is bound by one passes it on. @throws {Fault} `forbidden` naming the field */
export function checkSuperset(field: string, held: List, wanted: List): void {
  if (held?.some((it) => !wanted?.includes(it)))
    throw exceeds(field, `only lists that contain all of these: ${held.join(', ')}`);
}

/** For `allowed_routes` and names of models: an entry that ends in `*` covers all entries with that prefix. */
export const coversPattern = (own: string, wanted: string): boolean =>
  own === wanted || (own.endsWith('*') && wanted.startsWith(own.slice(0, -1)));

const isSame = (own: string, wanted: string) => own === wanted;
