import { legacyVersions } from '../../../protocol/gateway/mcpWire.ts';
import { type Health, healthLimitMs, lateWords, reachWords, statusWords } from '../net/health.ts';
import { nobody } from './bridge/discovery.ts';
import { type ConnectionsDeps, McpConnections } from './connections.ts';
import { BackendFailure } from './failure.ts';
import { HandshakeRefused } from './handshake.ts';
import { type Item, listAll } from './listAll.ts';
import type { McpBackend, McpTarget, Outbound } from './types.ts';

/** What a probe found: `refused` where the server asks for a credential that it did not get. */
export type Probed =
  | (Health & { readonly tools?: readonly Item[] })
  | { readonly status: 'refused'; readonly httpStatus: number };

/**
 * Whether a server answers as an MCP server does: the probe shakes hands as a client would, in the legacy era or the
 * modern one, and closes the connection. The error has no address and no text of the server.
 */
export async function probeServer(deps: ConnectionsDeps, target: McpTarget, outbound: Outbound): Promise<Probed> {
  const connections = new McpConnections(deps);
  const limited = { ...target, timeoutMs: Math.min(target.timeoutMs, healthLimitMs) };
  try {
    const backend = await shake(connections, limited, outbound);
    const tools = await toolsOf(deps, backend, limited, outbound);
    return { status: 'healthy', ...(tools && { tools }) };
  } catch (thrown) {
    const { status } = thrown instanceof BackendFailure ? thrown : {};
    if (status === 401 || status === 403) return { status: 'refused', httpStatus: status };
    return { status: 'unhealthy', error: wordsOf(thrown) };
  } finally {
    await connections.closeAll();
  }
}

/** As far as it lists them: a server that is well may have none. */
async function toolsOf(
  { timers }: ConnectionsDeps,
  backend: McpBackend,
  target: McpTarget,
  outbound: Outbound,
): Promise<readonly Item[] | undefined> {
  try {
    return await listAll(backend, target.name, 'tools/list', { outbound, signal: timers.deadline(healthLimitMs) });
  } catch {
    return undefined; // it shook hands, which is what was asked
  }
}

function shake(connections: McpConnections, target: McpTarget, outbound: Outbound): Promise<McpBackend> {
  const params = { ...nobody.params, protocolVersion: legacyVersions[0] };
  return connections.acquire({ target, era: 'legacy', outbound, session: undefined }, () => ({
    introduction: { params, isShared: true },
    announces: true,
  }));
}

function wordsOf(thrown: unknown): string {
  if (thrown instanceof HandshakeRefused) return 'The MCP server refused to initialize. See its log for the reason.';
  if (!(thrown instanceof BackendFailure)) return reachWords(thrown);
  const { kind, status, cause, message } = thrown;
  if (status !== undefined) return statusWords(status);
  if (kind === 'timeout') return lateWords;
  if (kind === 'garbage')
    return 'The server returned a response that is not valid MCP. Check that the registered URL is its MCP endpoint and that the transport is correct.';
  if (kind === 'not_allowed' || kind === 'document') return message;
  return reachWords(cause);
}
