import { isRecord } from '../../../platform/isRecord.ts';
import { shownText } from '../../../platform/shownText.ts';
import type { ToolDefinition } from '../call.ts';

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
  if (words.has(name) && typeof value === 'string') return shownText(value);
  if (data.has(name)) return value;
  if (!maps.has(name) || !isRecord(value)) return cleanWords(value);
  return Object.fromEntries(Object.entries(value).map(([own, schema]) => [own, cleanWords(schema)]));
}
