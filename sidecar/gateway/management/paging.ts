/** The numbers of one page of a list. */
export interface Paging {
  /** From 1. */
  readonly page: number;
  readonly size: number;
}
export const pagesOf = (total: number, size: number): number => Math.ceil(total / size);
export const pageOf = <T>(items: readonly T[], { page, size }: Paging): readonly T[] =>
  items.slice((page - 1) * size, page * size);
