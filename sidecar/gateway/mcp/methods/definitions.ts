import { ownMeta } from '../../backends/mcp/bridge/discovery.ts';
import { HandshakeRefused } from '../../backends/mcp/handshake.ts';
import type { Item } from '../../backends/mcp/listAll.ts';
import type { McpContext, McpDeps, McpServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { guardList } from './gathering.ts';
import { itemsOf } from './serverItems.ts';

/**
 * All tools of a server as it lists them to a caller, for guardrails and their administrators: nothing hidden, nothing
 * renamed. The gateway asks by itself, so it leaves no record. A server that refuses the handshake is asked in the
 * modern era.
 *
 * @throws {BackendFailure} where the server cannot be asked
 */
export async function definitionsOf(deps: McpDeps, context: McpContext, server: McpServer): Promise<readonly Item[]> {
  try {
    return await ask(deps, context, server, 'legacy');
  } catch (thrown) {
    if (!(thrown instanceof HandshakeRefused)) throw thrown;
    return ask(deps, context, server, 'modern');
  }
}

async function ask(
  deps: McpDeps,
  context: McpContext,
  server: McpServer,
  era: McpRequest['era'],
): Promise<readonly Item[]> {
  const visible = { server, allows: () => true, isWhole: true };
  const signal = AbortSignal.any([context.signal, deps.timers.deadline(deps.options.listTimeoutMs)]);
  const mcp: McpRequest = {
    deps,
    context,
    scope: { kind: 'single', servers: [visible], address: 'definitions' },
    era,
    session: undefined,
    request: { jsonrpc: '2.0', id: 'sb-definitions', method: 'tools/list' },
    headers: new Headers(),
    signal,
    record: { note: () => undefined, finish: () => undefined },
    outcome: {},
    ways: [],
  };
  const guard = await guardList(mcp, visible, 'tools/list');
  const meta = era === 'modern' ? ownMeta : undefined;
  return itemsOf(mcp, visible, { method: 'tools/list', starting: () => signal, meta, ...guard });
}
