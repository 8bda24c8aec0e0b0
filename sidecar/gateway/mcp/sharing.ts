import { type InitializeParams, legacyVersions } from '../../protocol/gateway/mcpWire.ts';
import { nobody } from '../backends/mcp/bridge/discovery.ts';
import type { Share } from '../backends/mcp/sharing/share.ts';
import { callerOf, type McpContext, type McpServer } from './mcpDeps.ts';
import type { Session } from './session/sessions.ts';

/** How the gateway introduces callers that did not introduce themselves. */
export const anybody: InitializeParams = { ...nobody.params, protocolVersion: legacyVersions[0] };

/** The same object for all calls of a session, so that values derived from it are computed once. */
const known = new WeakMap<object, WeakMap<McpServer, Share>>();

/**
 * The sessions with which a session shares the process of a stdio server; `undefined` if it does not share. Sessions whose
 * clients have different capabilities do not share, because the server was told the capabilities of one of them.
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

/** A process that all callers share does not learn the name of any client. */
export const introductionOf = (server: McpServer, { params }: Session): InitializeParams =>
  server.stdio?.share === 'all' ? { ...params, clientInfo: anybody.clientInfo } : params;

/** Each caller provides values of its own. */
const isPersonal = ({ is_byok, env_vars }: McpServer): boolean =>
  is_byok === true || env_vars?.some((it) => it.scope === 'user') === true;
