import { isRecord } from '../../../platform/isRecord.ts';
import { nestsTooDeep } from '../../../platform/requestBody.ts';

/** Limits of what a caller may add to `_meta` of a message, beside the members of MCP itself. */
export const metaLimits = { members: 16, bytes: 4_096, depth: 2 } as const;

/** Members of MCP itself, which say what a client can do and grow with the protocol. */
const own = 'io.modelcontextprotocol/';

/**
 * Why the `_meta` of a caller's message is more than anybody needs: servers keep it, log it and walk through it.
 *
 * @returns `undefined` where it is in order or absent; else a sentence that names the limit
 */
export function metaProblem(params: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const meta = params?.['_meta'];
  if (!isRecord(meta)) return undefined;
  const members = Object.entries(meta).filter(([name]) => !name.startsWith(own));
  if (members.length === 0) return undefined;
  if (members.length > metaLimits.members) return `_meta has more than ${metaLimits.members} members`;
  const text = JSON.stringify(Object.fromEntries(members));
  if (Buffer.byteLength(text) > metaLimits.bytes) return `_meta is larger than ${metaLimits.bytes} bytes`;
  return nestsTooDeep(text, metaLimits.depth) ? `_meta is nested more than ${metaLimits.depth} levels deep` : undefined;
}
