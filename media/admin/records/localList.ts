import type { RecordPage } from '../gateway.ts';
import type { Column, Sorting } from '../kit/table.ts';

type Query = Readonly<Record<string, string>>;

export const pageSize = 25;

export interface LocalList<T> {
  /** What the search looks in. */
  readonly textOf: (row: T) => string;
  readonly columns?: readonly Column<T>[];
}

/** One page of a list that the gateway answers whole, searched and sorted as the address says. */
export function pageLocally<T>(all: readonly T[], query: Query, { textOf, columns = [] }: LocalList<T>): RecordPage<T> {
  const wanted = (query['search'] ?? '').toLowerCase();
  const found = wanted === '' ? all : all.filter((it) => textOf(it).toLowerCase().includes(wanted));
  return pageOf(sortedBy(found, query, columns), pageNumber(query), pageSize);
}

/** One page of a list that is here as a whole: the last one where it has fewer. */
export function pageOf<T>(all: readonly T[], wanted: number, size: number): RecordPage<T> {
  const totalPages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(wanted, totalPages);
  return { rows: all.slice((page - 1) * size, page * size), total: all.length, page, totalPages };
}

export const pageNumber = (query: Query): number => {
  const page = Number(query['p'] ?? 1);
  return Number.isInteger(page) && page > 0 ? page : 1;
};

/** How the headings of such a list sort it. A number's first press puts the most first, a text's the start of the alphabet. */
export function sortingOf<T>(
  query: Query,
  columns: readonly Column<T>[],
  ask: (query: Query) => void,
): Sorting | undefined {
  if (!columns.some((it) => it.sortValue)) return undefined;
  const { sort: by = '', order } = query;
  return {
    by,
    isDescending: order === 'desc',
    sort: (next) => {
      const isMostFirst = columns.find((it) => it.sort === next)?.isNumber === true;
      const isDescending = next === by ? order !== 'desc' : isMostFirst;
      ask({ sort: next, order: isDescending ? 'desc' : 'asc', p: '' });
    },
  };
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function sortedBy<T>(rows: readonly T[], { sort, order }: Query, columns: readonly Column<T>[]): readonly T[] {
  const read = sort ? columns.find((it) => it.sort === sort)?.sortValue : undefined;
  if (!read) return rows;
  const isDescending = order === 'desc';
  return rows.toSorted((left, right) => {
    const [a, b] = [read(left) ?? undefined, read(right) ?? undefined];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    const compared = typeof a === 'number' && typeof b === 'number' ? a - b : names.compare(String(a), String(b));
    return isDescending ? -compared : compared;
  });
}
