import { isRecord, type ToolDefinition } from '../call.ts';

/** Characters that nobody sees, or that turn the order of others: controls, format, bidi, tags, lone surrogates. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Longest description that is shown, in UTF-16 units. */
export const maxDescriptionLength = 4_096;

/**
 * A description as it may be shown to models and people: without invisible and bidirectional control characters, and cut
 * with an ellipsis (completion 5.2, tool poisoning). Line breaks and tabs stay. Doing it again changes nothing.
 */
export function cleanDescription(text: string, maxLength = maxDescriptionLength): string {
  const clean = text.replace(unseen, '');
  if (clean.length <= maxLength) return clean;
  const cut = clean.slice(0, maxLength - 1);
  const isHalf = /[\ud800-\udbff]$/.test(cut);
  return `${isHalf ? cut.slice(0, -1) : cut}…`;
}

const words: ReadonlySet<string> = new Set(['description', 'title', '$comment']);
/** Members of a schema whose members have names of their own: each value is a schema. */
const maps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Members of a schema that are data. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);

/** A tool whose words, in its schemas too, are clean. Of a definition that is not too deep to be pinned. */
export function cleanTool(tool: ToolDefinition): ToolDefinition {
  return cleanWords(tool) as ToolDefinition;
}

function cleanWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleanWords);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, cleanMember(name, it)]));
}

function cleanMember(name: string, value: unknown): unknown {
  if (words.has(name) && typeof value === 'string') return cleanDescription(value);
  if (data.has(name)) return value;
  if (!maps.has(name) || !isRecord(value)) return cleanWords(value);
  return Object.fromEntries(Object.entries(value).map(([own, schema]) => [own, cleanWords(schema)]));
}
