import { isRecord } from '../../../platform/isRecord.ts';

/** Deeper values have no canonical form here: whoever sends them wants something else. */
const maxDepth = 64;

/**
 * The one text of a JSON value, whatever the order of its members (RFC 8785).
 * @returns `undefined` for what is nested more than 64 levels deep
 */
export function canonicalJson(value: unknown, depth = 0): string | undefined {
  if (depth > maxDepth) return undefined;
  if (Array.isArray(value))
    return joined(
      '[',
      ']',
      value.map((it) => canonicalJson(it, depth + 1)),
    );
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined)
    .map((name) => {
      const text = canonicalJson(value[name], depth + 1);
      return text === undefined ? undefined : `${JSON.stringify(name)}:${text}`;
    });
  return joined('{', '}', members);
}

function joined(open: string, close: string, parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(',')}${close}`;
}
