import { type InitializeParams, legacyVersions } from '../../protocol/gateway/mcpWire.ts';
import { nobody } from '../backends/mcp/eras.ts';
import type { Share } from '../backends/mcp/sharing/share.ts';
import { callerOf, type McpContext, type McpServer } from './mcpDeps.ts';
import type { Session } from './session/sessions.ts';

/** How the gateway introduces callers that never introduced themselves. */
export const anybody: InitializeParams = { ...nobody.params, protocolVersion: legacyVersions[0] };

/** One value for all calls of a session: what is made of it is made once. */
const known = new WeakMap<object, WeakMap<McpServer, Share>>();

/**
 * With whom a session shares the process of a stdio server; `undefined` where with nobody. Sessions whose clients can do
 * different things share nothing: the server was told what one of them can do.
 */
export function shareOf(server: McpServer, context: McpContext, session: Session | undefined): Share | undefined {
  const chosen = server.stdio?.share ?? undefined;
  if (chosen === 'session' || (chosen === undefined && isPersonal(server))) return undefined;
  const of = session ?? context.caller;
  const found = known.get(of)?.get(server);
  if (found) return found;
  const caller = session?.caller ?? callerOf(context);
  const { protocolVersion, capabilities } = session?.params ?? anybody;
  const isForAll = chosen === 'all';
  const share: Share = {
    group: JSON.stringify([isForAll ? '' : caller, isForAll, protocolVersion, capabilities]),
    caller,
    isDefault: chosen === undefined,
    isForAll,
  };
  const shares = known.get(of) ?? new WeakMap<McpServer, Share>();
  known.set(of, shares.set(server, share));
  return share;
}

/** A process that all share learns from none of them what its client is called. */
export const introductionOf = (server: McpServer, { params }: Session): InitializeParams =>
  server.stdio?.share === 'all' ? { ...params, clientInfo: anybody.clientInfo } : params;

/** Each caller brings something of its own. */
const isPersonal = ({ is_byok, env_vars }: McpServer): boolean =>
  is_byok === true || env_vars?.some((it) => it.scope === 'user') === true;
