import { Fault } from '../../../platform/faults.ts';
import { shownText } from '../../../platform/shownText.ts';
import type { AgentConversations, ConversationPlace, KeptConversation } from '../../conversations.ts';
import { type AcpDeps, type AcpLimits, acpLimits } from '../acpDeps.ts';
import { type AgentConnection, type ClientHandlers, connect, introduction } from '../connection.ts';
import { isAuthRequired, signInNeeded, toAgentFault } from '../faults.ts';
import type { AcpAgent } from '../wellKnown.ts';
import { InitializeResult, SessionList } from '../wire.ts';
import { Replay } from './replay.ts';

/** How many pages of a list are read. Older conversations are not shown. */
const MOST_PAGES = 10;
const MAX_TITLE = 200;

interface Opened {
  readonly connection: AgentConnection;
  readonly hello: InitializeResult;
  readonly limits: AcpLimits;
  /** The folder of the conversations. */
  readonly cwd: string;
}

/** @see AgentConversations */
export function acpConversations(
  agent: AcpAgent,
  deps: AcpDeps,
): Required<Pick<AgentConversations, 'list' | 'read' | 'delete'>> {
  const { displayName } = agent;
  return {
    list: (place, signal) =>
      during(agent, deps, place, signal, undefined, async ({ connection, hello, limits, cwd }) => {
        if (hello.agentCapabilities?.sessionCapabilities?.list == null)
          throw new Fault('unavailable', `${displayName} does not list its sessions.`);
        const found: KeptConversation[] = [];
        let cursor: string | undefined;
        for (let page = 0; page < MOST_PAGES; page += 1) {
          const params = { cwd, ...(cursor !== undefined && { cursor }) };
          const { sessions, nextCursor } = SessionList.parse(
            await connection.request('session/list', params, limits.openMs),
          );
          for (const it of sessions ?? []) {
            if (it.cwd !== cwd) continue; // some agents list the conversations of all folders
            const title = shownText(it.title?.trim() ?? '', MAX_TITLE) || it.sessionId;
            const at = it.updatedAt == null || Number.isNaN(Date.parse(it.updatedAt)) ? undefined : it.updatedAt;
            found.push({ id: it.sessionId, title, ...(at !== undefined && { updatedAt: at }) });
          }
          if (!nextCursor || nextCursor === cursor) break;
          cursor = nextCursor;
        }
        return found.toSorted((a, b) => Date.parse(b.updatedAt ?? '') - Date.parse(a.updatedAt ?? '') || 0);
      }),
    async read(place, id, signal) {
      const replay = new Replay(place.folder ?? '');
      return during(agent, deps, place, signal, replay, async ({ connection, hello, limits, cwd }) => {
        const { loadSession, sessionCapabilities } = hello.agentCapabilities ?? {};
        if (!loadSession && sessionCapabilities?.resume == null)
          throw new Fault('unavailable', `${displayName} cannot continue an earlier session.`);
        // The updates before the response are the conversation.
        if (loadSession)
          await connection.request('session/load', { sessionId: id, cwd, mcpServers: [] }, limits.openMs);
        return { resumeId: id, turns: loadSession ? replay.end() : [] };
      });
    },
    delete: (place, id, signal) =>
      during(agent, deps, place, signal, undefined, async ({ connection, hello, limits }) => {
        if (hello.agentCapabilities?.sessionCapabilities?.delete == null)
          throw new Fault('unavailable', `${displayName} cannot delete its sessions.`);
        await connection.request('session/delete', { sessionId: id }, limits.openMs);
      }),
  };
}

/** Starts the agent for one piece of work, and ends it. */
async function during<T>(
  agent: AcpAgent,
  deps: AcpDeps,
  { context, folder: cwd }: ConversationPlace,
  signal: AbortSignal,
  replay: Replay | undefined,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const limits = acpLimits(deps);
  if (cwd === undefined) throw new Fault('folder_needed', `${agent.displayName} requires a working folder.`);
  const connection = await connect(
    agent,
    context,
    deps,
    onlyUpdates((update) => replay?.update(update)),
  );
  const stop = () => void connection.close();
  signal.addEventListener('abort', stop, { once: true });
  let hello: InitializeResult | undefined;
  try {
    signal.throwIfAborted();
    hello = InitializeResult.parse(await connection.request('initialize', introduction(), limits.openMs));
    return await work({ connection, hello, limits, cwd });
  } catch (thrown) {
    if (isAuthRequired(thrown)) throw signInNeeded(agent, hello?.authMethods ?? [], thrown);
    throw toAgentFault(agent, thrown, connection.clean);
  } finally {
    signal.removeEventListener('abort', stop);
    await connection.close();
  }
}

/** Outside a turn, the agent is allowed nothing. */
function onlyUpdates(update: ClientHandlers['update']): ClientHandlers {
  const refuse = async (): Promise<never> => {
    throw new Fault('forbidden', 'files and terminals can be used only during a turn');
  };
  return {
    update,
    permission: async () => ({ outcome: { outcome: 'cancelled' } }),
    elicit: async () => ({ action: 'cancel' }),
    readText: refuse,
    writeText: refuse,
    terminals: { create: refuse, output: refuse, waitForExit: refuse, kill: refuse, release: refuse },
  };
}
