import type { ApiFilter, ApiMethod } from '../../../protocol/gateway/openapi.ts';
import type { Operation } from './document.ts';

interface Filtered {
  readonly method: ApiMethod;
  readonly path: string;
  readonly operation: Operation;
  /** Of its tool. */
  readonly name: string;
}

/** Whether an operation is in every list that a filter has. */
export const matchesAll = (it: Filtered, filter: ApiFilter): boolean =>
  listsOf(it, filter).every((isIn) => isIn !== false);

/** Whether an operation is in one of the lists of a filter. */
export const matchesAny = (it: Filtered, filter: ApiFilter): boolean => listsOf(it, filter).includes(true);

function listsOf({ operation, method, path, name }: Filtered, filter: ApiFilter): (boolean | undefined)[] {
  const { operations, tags, methods, paths } = filter;
  const { operationId } = operation;
  return [
    operations?.length ? operations.some((it) => it === name || it === operationId) : undefined,
    tags?.length ? tags.some((it) => operation.tags?.includes(it)) : undefined,
    methods?.length ? methods.includes(method) : undefined,
    paths?.length ? paths.some((it) => matchesPath(it, path)) : undefined,
  ];
}

/** `*` stands for any characters. */
function matchesPath(pattern: string, path: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return path === pattern;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const next = path.indexOf(part, at);
    if (next < 0) return false;
    at = next + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}
