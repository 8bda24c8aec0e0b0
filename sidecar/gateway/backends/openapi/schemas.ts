import { isRecord } from '../../../platform/isRecord.ts';
import { type ApiDocument, lookUp } from './document.ts';

type Schema = Record<string, unknown>;

/** Depths to try, until a schema is short enough. */
const depths = [24, 8, 4, 2] as const;
/** Of one tool: longer schemas are not checked, and nobody wants to read them. */
const maxCharacters = 60_000;
/** Schema objects of one tool, and of all tools of a document: references can multiply them. */
const maxOfTool = 2_000;
const maxOfDocument = 400_000;

const types: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const texts = ['format', 'title', 'description'] as const;
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
const maxDescription = 2_000;

/**
 * Writes the schemas of a document as JSON Schema 2020-12 without references, for clients that resolve none. What is
 * recursive, too deep or too much is left open (`{}`), so a check of arguments refuses nothing that the API takes: the API
 * has the last word. `oneOf` becomes `anyOf` for the same reason.
 */
export class SchemaWriter {
  readonly #document: ApiDocument;
  #left = maxOfDocument;
  #ofTool = 0;

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  /** @param build makes a tool's schema from {@link write} with the depth that it is given */
  fitting(build: (write: (schema: unknown) => unknown) => Schema): Schema {
    let schema: Schema = {};
    for (const depth of depths) {
      this.#ofTool = maxOfTool;
      schema = build((it) => this.#write(it, [], depth));
      if (JSON.stringify(schema).length <= maxCharacters) return schema;
    }
    return schema;
  }

  /** @param refs those that led here @throws {UnusableDocument} for a reference that leads nowhere, or elsewhere */
  #write(value: unknown, refs: readonly string[], depth: number): unknown {
    if (typeof value === 'boolean') return value;
    if (!isRecord(value) || depth === 0 || this.#ofTool === 0 || this.#left === 0) return {};
    this.#ofTool -= 1;
    this.#left -= 1;
    const ref = value['$ref'];
    if (typeof ref !== 'string') return this.#object(value, refs, depth);
    if (refs.includes(ref)) return {};
    const found = this.#write(lookUp(this.#document.root, ref), [...refs, ref], depth);
    if (!isRecord(found)) return found;
    const { description } = value;
    if (this.#document.is30) return typeof description === 'string' ? { ...found, description } : found;
    const { $ref: _, ...beside } = value;
    if (Object.keys(beside).length === 0) return found;
    return merged(found, this.#object(beside, refs, depth));
  }

  #object(from: Schema, refs: readonly string[], depth: number): Schema {
    const to: Schema = {};
    const inner = (it: unknown) => this.#write(it, refs, depth - 1);
    copyPlain(from, to);
    copyBounds(from, to);
    for (const name of ['items', 'additionalProperties', 'contains', 'propertyNames'])
      if (isRecord(from[name]) || typeof from[name] === 'boolean') to[name] = inner(from[name]);
    const alternatives = from['anyOf'] ?? from['oneOf'];
    if (isFilled(alternatives)) to['anyOf'] = alternatives.map(inner);
    if (isFilled(from['allOf'])) to['allOf'] = from['allOf'].map(inner);
    if (isFilled(from['prefixItems'])) to['prefixItems'] = from['prefixItems'].map(inner);
    const { properties } = from;
    if (isRecord(properties)) this.#properties(from, properties, to, inner);
    else if (isFilled(from['required'])) to['required'] = names(from['required']);
    return from['nullable'] === true && this.#document.is30 ? nullable(to) : to;
  }

  /** Without those that only answers have. */
  #properties(from: Schema, properties: Schema, to: Schema, inner: (it: unknown) => unknown): void {
    const sent = Object.entries(properties).filter(([, it]) => !this.#isReadOnly(it));
    to['properties'] = Object.fromEntries(sent.map(([name, it]) => [name, inner(it)]));
    if (!Array.isArray(from['required'])) return;
    const left = names(from['required']).filter(
      (it) => !Object.hasOwn(properties, it) || sent.some(([name]) => name === it),
    );
    if (left.length > 0) to['required'] = left;
  }

  #isReadOnly(schema: unknown): boolean {
    return isRecord(schema) && schema['readOnly'] === true;
  }
}

function copyPlain(from: Schema, to: Schema): void {
  const { type } = from;
  const known = (Array.isArray(type) ? type : [type]).filter((it) => types.has(it));
  if (known.length > 0) to['type'] = Array.isArray(type) ? [...new Set(known)] : type;
  for (const name of texts) if (typeof from[name] === 'string') to[name] = from[name].slice(0, maxDescription);
  if (isFilled(from['enum'])) to['enum'] = from['enum'];
  for (const name of ['const', 'default']) if (name in from) to[name] = from[name];
  if (from['deprecated'] === true) to['deprecated'] = true;
  if (from['uniqueItems'] === true) to['uniqueItems'] = true;
  if (typeof from['pattern'] === 'string' && isPattern(from['pattern'])) to['pattern'] = from['pattern'];
  if (isScalar(from['example'])) to['examples'] = [from['example']];
}

function copyBounds(from: Schema, to: Schema): void {
  for (const name of numbers) if (typeof from[name] === 'number') to[name] = from[name];
  for (const name of counts) if (Number.isSafeInteger(from[name]) && (from[name] as number) >= 0) to[name] = from[name];
  if (typeof from['multipleOf'] === 'number' && from['multipleOf'] > 0) to['multipleOf'] = from['multipleOf'];
  // In 3.0, these say how the bound beside them is meant.
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (from[exclusive] !== true || typeof from[bound] !== 'number') continue;
    to[exclusive] = from[bound];
    delete to[bound];
  }
}

function nullable(schema: Schema): Schema {
  const { type, description, ...rest } = schema;
  if (type === undefined) return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] };
  const values = schema['enum'];
  const all = Array.isArray(type) ? type : [type];
  return {
    ...schema,
    type: all.includes('null') ? all : [...all, 'null'],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  };
}

/** What stands beside a reference holds as well; words beside it replace those of the target. */
function merged(target: Schema, beside: Schema): Schema {
  const words: Schema = {};
  const rules: Schema = {};
  for (const [name, it] of Object.entries(beside))
    (['title', 'description', 'default', 'deprecated', 'examples'].includes(name) ? words : rules)[name] = it;
  if (Object.keys(rules).length === 0) return { ...target, ...words };
  return { allOf: [target, rules], ...words };
}

const names = (value: readonly unknown[]): string[] => [
  ...new Set(value.filter((it): it is string => typeof it === 'string')),
];
const isFilled = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isScalar = (value: unknown) =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= 200);

/** Documents also have patterns of other languages. */
function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
