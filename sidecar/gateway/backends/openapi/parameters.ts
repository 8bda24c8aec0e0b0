import * as z from 'zod';
import { isRecord } from '../../../platform/isRecord.ts';
import { isHeaderName, isHeaderValue, isTransportHeader } from '../headerNames.ts';
import { type ApiDocument, resolved, UnusableDocument } from './document.ts';

/** A parameter object (OpenAPI 3.1, 4.8.12). One with `content` is sent as JSON. */
const Parameter = z.looseObject({
  name: z.string().min(1).max(256),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  description: z.string().optional().catch(undefined),
  required: z.boolean().optional().catch(undefined),
  deprecated: z.boolean().optional().catch(undefined),
  style: z.string().optional(),
  explode: z.boolean().optional(),
  allowReserved: z.boolean().optional().catch(undefined),
  schema: z.unknown().optional(),
  content: z.record(z.string(), z.looseObject({ schema: z.unknown().optional() })).optional(),
});
export type Place = 'path' | 'query' | 'header' | 'cookie';

/** How one argument of a tool is written into a request. */
export interface ApiParameter {
  readonly name: string;
  readonly in: Place;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Its value is one JSON text. */
  readonly isJson: boolean;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** As the document has it. */
  readonly schema: unknown;
}

const styles: Readonly<Record<Place, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** OpenAPI says that these are no parameters: the body and the credential decide them. */
const ignored: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/**
 * The parameters of an operation; those of the operation replace those of its path.
 * @throws {UnusableDocument} for one that cannot be sent
 */
export function readParameters(document: ApiDocument, lists: readonly unknown[]): readonly ApiParameter[] {
  const found = new Map<string, ApiParameter>();
  for (const value of lists) {
    const read = Parameter.safeParse(resolved(document.root, value));
    if (!read.success) throw new UnusableDocument('One of its parameters is not valid.');
    const parameter = toParameter(read.data);
    if (parameter.in === 'header' && ignored.has(parameter.name.toLowerCase())) continue;
    if (parameter.in === 'header') checkHeader(parameter.name);
    if (parameter.in === 'cookie' && !isHeaderName(parameter.name))
      throw new UnusableDocument(`The name of its cookie '${parameter.name}' is not valid.`);
    found.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...found.values()];
}

function toParameter(read: z.infer<typeof Parameter>): ApiParameter {
  const [first] = Object.entries(read.content ?? {});
  const [usual = 'form'] = styles[read.in];
  const style = read.style ?? usual;
  if (!styles[read.in].includes(style))
    throw new UnusableDocument(`Its parameter '${read.name}' has a style that does not exist in a ${read.in}.`);
  if (first && !isJsonType(first[0]))
    throw new UnusableDocument(`Its parameter '${read.name}' has content of a type other than JSON.`);
  return {
    name: read.name,
    in: read.in,
    style,
    explode: read.explode ?? style === 'form',
    allowReserved: read.allowReserved ?? false,
    isJson: first !== undefined,
    isRequired: read.in === 'path' || read.required === true,
    description: read.description,
    schema: first ? first[1].schema : read.schema,
  };
}

export const isJsonType = (type: string): boolean => /^[\w.+-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type);

function checkHeader(name: string): void {
  const lower = name.toLowerCase();
  const isOurs = isTransportHeader(lower) || lower === 'cookie' || lower.startsWith('x-gateway-');
  if (!isHeaderName(name) || isOurs) throw new UnusableDocument(`Its header parameter '${name}' cannot be sent.`);
}

/** An argument that cannot be written into a request: a sentence for the caller, without the value. */
export class UnusableArgument extends Error {
  override readonly name = 'UnusableArgument';
  readonly isExpected = true;
}

/** Half a character cannot be encoded. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

/** Percent-encodes all but the unreserved characters of RFC 3986. */
export const encoded = (text: string): string =>
  encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`);

/** Reserved characters may stay, but those that would begin another parameter or a fragment. */
const encodedButReserved = (text: string): string =>
  encoded(text).replace(/%(3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B)/g, (it) => decodeURIComponent(it));

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

/** Names and values of an object. */
const entriesOf = (value: Record<string, unknown>) =>
  Object.entries(value).filter(([, it]) => it !== undefined && it !== null);

/** The text that takes the place of `{name}` in a path. */
export function pathText({ name, style, explode, isJson }: ApiParameter, value: unknown): string {
  const prefix = { label: '.', matrix: ';' }[style] ?? '';
  const between = explode && prefix !== '' ? prefix : ',';
  const encode = (it: unknown) => segment(name, textOf(it));
  if (isJson) return encode(JSON.stringify(value));
  const named = (it: string) => (style === 'matrix' ? `${encoded(name)}=${it}` : it);
  if (Array.isArray(value)) {
    const items = value.map(encode);
    if (items.length === 0) throw missing(name);
    return prefix + (explode ? items.map(named).join(between) : named(items.join(',')));
  }
  if (isRecord(value)) {
    const pairs = entriesOf(value).map(([key, it]) => [encode(key), encode(it)] as const);
    if (pairs.length === 0) throw missing(name);
    const listed = pairs.map((it) => it.join(explode ? '=' : ',')).join(explode ? between : ',');
    return prefix + (explode ? listed : named(listed));
  }
  return prefix + named(encode(value));
}

/** Servers that decode a path before they read it would climb by `..` that is part of a value. */
function segment(name: string, text: string): string {
  if (text === '') throw missing(name);
  if (text.split(/[/\\]/).some((it) => it === '.' || it === '..'))
    throw new UnusableArgument(`The argument '${name}' must not contain the path segment '.' or '..'.`);
  return encoded(text);
}

const missing = (name: string) =>
  new UnusableArgument(`The argument '${name}' is part of the path, so it must not be empty.`);

const delimiters: Readonly<Record<string, string>> = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' };
const maxDeep = 5;

/** What a parameter adds to the query: `name=value`, encoded. */
export function queryPairs(parameter: ApiParameter, value: unknown): readonly string[] {
  const { name, style, explode, isJson, allowReserved } = parameter;
  const encode = allowReserved ? encodedButReserved : encoded;
  const pair = (key: string, it: unknown) => `${encoded(key)}=${encode(textOf(it))}`;
  if (isJson) return [pair(name, JSON.stringify(value))];
  if (style === 'deepObject') return deepPairs(name, value, maxDeep, pair);
  const delimiter = delimiters[style] ?? ',';
  if (Array.isArray(value)) {
    if (explode) return value.map((it) => pair(name, it));
    return value.length === 0 ? [] : [`${encoded(name)}=${value.map((it) => encode(textOf(it))).join(delimiter)}`];
  }
  if (isRecord(value)) {
    const entries = entriesOf(value);
    if (explode) return entries.map(([key, it]) => pair(key, it));
    if (entries.length === 0) return [];
    return [
      `${encoded(name)}=${entries.map(([key, it]) => `${encoded(key)}${delimiter}${encode(textOf(it))}`).join(delimiter)}`,
    ];
  }
  return [pair(name, value)];
}

function deepPairs(
  name: string,
  value: unknown,
  depth: number,
  pair: (key: string, it: unknown) => string,
): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((it) => deepPairs(name, isRecord(it) ? JSON.stringify(it) : it, 0, pair));
  if (!isRecord(value) || depth === 0) return [pair(name, value)];
  return entriesOf(value).flatMap(([key, it]) => deepPairs(`${name}[${key}]`, it, depth - 1, pair));
}

/** @throws {UnusableArgument} for characters that no header can hold */
export function headerText({ name, explode, isJson }: ApiParameter, value: unknown): string {
  const text = isJson ? JSON.stringify(value) : simple(value, explode);
  if (!isHeaderValue(text))
    throw new UnusableArgument(
      `The argument '${name}' is sent as a header, so it must not contain line breaks, other control characters, or characters beyond Latin-1.`,
    );
  return text;
}

function simple(value: unknown, explode: boolean): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (!isRecord(value)) return textOf(value);
  return entriesOf(value)
    .map(([key, it]) => `${key}${explode ? '=' : ','}${textOf(it)}`)
    .join(',');
}

/** `name=value` of cookies, encoded. */
export function cookiePairs(parameter: ApiParameter, value: unknown): readonly string[] {
  if (parameter.isJson) return [`${parameter.name}=${encoded(JSON.stringify(value))}`];
  if (isRecord(value) && parameter.explode)
    return entriesOf(value).map(([key, it]) => `${encoded(key)}=${encoded(textOf(it))}`);
  return [`${parameter.name}=${encoded(simple(value, false))}`];
}
