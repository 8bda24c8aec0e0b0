/** The numbers of one page of a list. */
export interface Paging {
  /** From 1. */
  readonly page: number;
  readonly size: number;
}
export const pagesOf = (total: number, size: number): number => Math.ceil(total / size);
export const pageOf = <T>(items: readonly T[], { page, size }: Paging): readonly T[] =>
  items.slice((page - 1) * size, page * size);

type Comparable = string | number | null | undefined;

/** Compares two values of one column; what is missing comes first. */
export function compare(one: Comparable, other: Comparable): number {
  const [a, b] = [one ?? '', other ?? ''];
  return a < b ? -1 : a > b ? 1 : 0;
}
