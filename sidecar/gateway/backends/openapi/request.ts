import { isRecord } from '../../../platform/isRecord.ts';
import type { HttpRequest } from '../mcp/types.ts';
import type { ApiBody, ApiOperation } from './operations.ts';
import {
  type ApiParameter,
  cookiePairs,
  encoded,
  headerText,
  pathText,
  queryPairs,
  UnusableArgument,
  wellFormed,
} from './parameters.ts';

/**
 * The request of one call, written from arguments that match the tool's schema. Its origin is that of the base.
 * @throws {UnusableArgument} for an argument that cannot be written
 */
export function writeRequest(
  base: URL,
  operation: ApiOperation,
  args: Readonly<Record<string, unknown>>,
): Omit<HttpRequest, 'onSent'> {
  const { method, parameters, body } = operation;
  const headers: Record<string, string> = { accept: 'application/json, text/*;q=0.9, */*;q=0.5' };
  const query = base.search === '' ? [] : [base.search.slice(1)];
  const cookies: string[] = [];
  const inPath = new Map<string, string>();
  for (const [argument, parameter] of parameters) {
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    if (value === undefined || (value === null && parameter.in !== 'path')) continue;
    place(parameter, value, { headers, query, cookies, inPath });
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
  const value = body && Object.hasOwn(args, body.argument) ? args[body.argument] : undefined;
  const url = addressOf(base, operation.path, inPath, query);
  if (!body || value === undefined) return { method: method.toUpperCase() as HttpRequest['method'], url, headers };
  headers['content-type'] = body.type;
  return { method: method.toUpperCase() as HttpRequest['method'], url, headers, body: bodyText(body, value) };
}

interface Parts {
  readonly headers: Record<string, string>;
  readonly query: string[];
  readonly cookies: string[];
  readonly inPath: Map<string, string>;
}

function place(parameter: ApiParameter, value: unknown, { headers, query, cookies, inPath }: Parts): void {
  if (parameter.in === 'path') inPath.set(parameter.name, pathText(parameter, value));
  else if (parameter.in === 'query') query.push(...queryPairs(parameter, value));
  else if (parameter.in === 'cookie') cookies.push(...cookiePairs(parameter, value));
  else headers[parameter.name.toLowerCase()] = headerText(parameter, value);
}

function addressOf(base: URL, template: string, inPath: ReadonlyMap<string, string>, query: readonly string[]): string {
  const path = template
    .split(/(\{[^{}]*\})/)
    .map((it, at) => {
      if (at % 2 === 0) return literal(it);
      const name = it.slice(1, -1);
      const text = inPath.get(name);
      if (text === undefined)
        throw new UnusableArgument(`The argument '${name}' is part of the path, so it must not be empty.`);
      return text;
    })
    .join('');
  const pathname = base.pathname.replace(/\/$/, '') + path;
  const written = `${base.origin}${pathname}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const read = new URL(written);
  // Whoever reads the address must read what was written: no segment that climbs, no other host.
  if (read.origin !== base.origin || read.pathname !== pathname)
    throw new UnusableArgument('The arguments do not form a valid path.');
  return written;
}

/** Text of the document: what is percent-encoded stays so. */
const literal = (text: string) => encodeURI(wellFormed(text)).replace(/%25([0-9A-Fa-f]{2})/g, '%$1');

function bodyText({ kind, encoding }: ApiBody, value: unknown): string {
  if (kind === 'json') return JSON.stringify(value);
  if (kind === 'text') return typeof value === 'string' ? value : JSON.stringify(value);
  if (!isRecord(value))
    throw new UnusableArgument("The argument 'body' must be an object, because it is sent as a form.");
  const pairs = Object.entries(value).flatMap(([name, it]) => fieldPairs(name, it, encoding[name]));
  return pairs.join('&');
}

/** A field of a form (OpenAPI 3.1, 4.8.15): lists repeat it, objects are JSON unless a style is given. */
function fieldPairs(name: string, value: unknown, encoding: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  const { style, explode } = isRecord(encoding) ? encoding : {};
  if (isRecord(value) && style === undefined) return [`${encoded(name)}=${encoded(JSON.stringify(value))}`];
  const known = typeof style === 'string' ? style : 'form';
  return queryPairs(
    {
      name,
      in: 'query',
      style: known,
      explode: typeof explode === 'boolean' ? explode : known === 'form',
      allowReserved: false,
      isJson: false,
      isRequired: false,
      description: undefined,
      schema: undefined,
    },
    value,
  );
}
