import { Fault } from '../../platform/faults.ts';
import type { InstallPhase } from '../../protocol/channels/root/agentRegistry.ts';
import { ROOT } from '../../protocol/uris.ts';
import type { WindowInfo } from '../../protocol/window.ts';
import type { Connection } from './connection.ts';
import type { Handlers } from './register.ts';

/** A person sees no more of it than that. */
const PROGRESS_MS = 250;

type AgentMethod = `x-switchboard/agent${'Registry' | 'Offer' | 'Install' | 'Scripts' | 'Remove'}`;

/** Agents of a registry. Each runs programs, or decides which ones sessions run. */
export const agentHandlers: Pick<Handlers<Connection>, AgentMethod> = {
  'x-switchboard/agentRegistry': async (_params, connection, signal) =>
    (await connection.deps.agentInstalls()).list(installing(connection), signal),
  'x-switchboard/agentOffer': async ({ id }, connection, signal) =>
    (await connection.deps.agentInstalls()).offer(id, installing(connection), signal),
  'x-switchboard/agentInstall': async ({ token, progressToken }, connection, signal) =>
    (await connection.deps.agentInstalls()).install(
      token,
      installing(connection),
      progressOf(connection, progressToken),
      signal,
    ),
  'x-switchboard/agentScripts': async ({ progressToken, ...which }, connection, signal) =>
    (await connection.deps.agentInstalls()).runScripts(
      which,
      installing(connection),
      progressOf(connection, progressToken),
      signal,
    ),
  'x-switchboard/agentRemove': async ({ id }, connection) => {
    installing(connection);
    await (await connection.deps.agentInstalls()).remove(id);
    return null;
  },
};

/**
 * The window of this machine, in a trusted folder, that asks (`host.agents.trusted-window`).
 * @throws {Fault} `forbidden`, `not_trusted`
 */
function installing({ client: { window }, credential, answersForPerson }: Connection): WindowInfo {
  if (window === undefined || credential !== undefined || !answersForPerson)
    throw new Fault('forbidden', 'Only a VS Code window on this machine can add or remove agents.', { data: {} });
  if (!window.trusted) throw new Fault('not_trusted', 'Trust this folder to add or remove agents.');
  return window;
}

function progressOf({ peer, deps }: Connection, progressToken: string | undefined) {
  let last: { phase: InstallPhase; at: number } | undefined;
  return (phase: InstallPhase, done = 0, total?: number): void => {
    const at = deps.clock.monotonicMs();
    if (progressToken === undefined || (last?.phase === phase && at - last.at < PROGRESS_MS)) return;
    last = { phase, at };
    const frame = { channel: ROOT, progressToken, progress: done, message: phase };
    peer.sendNotification('root/progress', { ...frame, ...(total !== undefined && { total }) });
  };
}
