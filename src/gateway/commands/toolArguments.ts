import type { ToolCallAnswer } from '../../../sidecar/protocol/gateway/answers.ts';

type Schema = Readonly<Record<string, unknown>>;

/** One line of JSON with what the tool needs, to be filled in; `undefined` where it needs nothing and takes nothing. */
export function argumentsSkeleton(schema: Schema | null | undefined): string | undefined {
  const properties = schemaIn(schema, 'properties');
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  const required = requiredOf(schema);
  const wanted = names.filter((it) => required.includes(it));
  return JSON.stringify(Object.fromEntries(wanted.map((it) => [it, exampleOf(schemaIn(properties, it))])));
}

/** The names of what the tool takes besides, separated by commas. */
export function optionalNames(schema: Schema | null | undefined): string {
  const required = requiredOf(schema);
  const names = Object.keys(schemaIn(schema, 'properties'));
  return names.filter((it) => !required.includes(it)).join(', ');
}

/** What is wrong with a line of arguments; the words are for a person. */
export type ArgumentsProblem = { readonly kind: 'notJson' } | { readonly kind: 'missing'; readonly name: string };

export function readArguments(
  line: string,
  schema: Schema | null | undefined,
): { readonly values: Readonly<Record<string, unknown>> } | ArgumentsProblem {
  let values: unknown;
  try {
    values = JSON.parse(line.trim() || '{}');
  } catch {
    return { kind: 'notJson' };
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return { kind: 'notJson' };
  const missing = requiredOf(schema).find((it) => !(it in (values as object)));
  return missing === undefined ? { values: values as Record<string, unknown> } : { kind: 'missing', name: missing };
}

/** A result as a document: its texts as they are, what is no text by its type, and what is structured as JSON. */
export function resultText({ content, structuredContent }: ToolCallAnswer): string {
  const parts = content.map((it) => {
    if (it.type === 'text' && typeof it['text'] === 'string') return pretty(it['text']);
    const type = typeof it['mimeType'] === 'string' ? ` ${it['mimeType']}` : '';
    const size = typeof it['data'] === 'string' ? ` (${Math.floor((it['data'].length * 3) / 4)} bytes)` : '';
    return type || size ? `[${it.type}${type}${size}]` : JSON.stringify(it, undefined, 2);
  });
  if (structuredContent !== undefined && structuredContent !== null)
    parts.push(JSON.stringify(structuredContent, undefined, 2));
  return parts.join('\n\n');
}

function pretty(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, undefined, 2) : text;
  } catch {
    return text; // most results are words
  }
}

function exampleOf(schema: Schema): unknown {
  if ('default' in schema) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  switch (schema['type']) {
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return '';
  }
}

function schemaIn(schema: Schema | null | undefined, name: string): Schema {
  const value = schema?.[name];
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}
function requiredOf(schema: Schema | null | undefined): readonly string[] {
  const required = schema?.['required'];
  return Array.isArray(required) ? required.filter((it) => typeof it === 'string') : [];
}
