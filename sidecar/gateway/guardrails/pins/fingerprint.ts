import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../call.ts';
import { canonicalJson } from './canonicalJson.ts';

/**
 * What a model or a person reads of a tool: a change of any of it is a change of the tool (`security.tool-poisoning`).
 */
const members = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;
/** Characters of the canonical form. */
const maxLength = 262_144;

export interface Fingerprint {
  /** SHA-256 over the canonical JSON of `definition`, in hex. */
  readonly hash: string;
  readonly definition: ToolDefinition;
}

/** `undefined` for a definition that is too deep or too large to be approved by anybody. */
export function fingerprintOf(tool: ToolDefinition): Fingerprint | undefined {
  const definition = Object.fromEntries(
    members.filter((it) => tool[it] !== undefined).map((it) => [it, tool[it]] as const),
  );
  const text = canonicalJson(definition);
  if (text === undefined || text.length > maxLength) return undefined;
  return { hash: createHash('sha256').update(text).digest('hex'), definition };
}
