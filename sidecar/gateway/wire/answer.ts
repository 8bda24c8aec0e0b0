import { type RpcMessage, readRpc } from '../../protocol/gateway/mcpWire.ts';
import { envelope } from './envelope.ts';
import { scan } from './scan.ts';
import { readShape } from './shape.ts';

/**
 * Whether a message of a server is the same to every reader as far as the gateway judges it: no member of the envelope is
 * there twice or under a second name, and none of `result`, `params` or `error` is there twice. What is deeper passes as
 * it came: nothing here is decided by it.
 *
 * @param value the parsed text
 * @param namesDepth for whoever decides by what is deeper
 */
export function isPlainAnswer(text: string, value: unknown, namesDepth = 2): boolean {
  const { ambiguity } = scan(text, { maxDepth: Infinity, namesDepth, numbers: false });
  return !ambiguity && !('twin' in readShape(value, envelope));
}

/** A message of an MCP server; `ambiguous` where readers understand it differently, `undefined` where it is none. */
export function readServerMessage(text: string): RpcMessage | 'ambiguous' | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // not JSON
  }
  const read = readRpc(value);
  return read && !isPlainAnswer(text, value) ? 'ambiguous' : read;
}
