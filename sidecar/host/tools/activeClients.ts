import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import type { SessionActiveClient } from '../../protocol/channels/session/schema.ts';
import { commitChat, commitSession } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

/** How long a client that broke off keeps its place in sessions, counted from the end of its connection. */
export const CLIENT_GRACE_MS = 30_000;

/** Which clients offer tools in which sessions, and what follows when one leaves (host.move.client-disconnected). */
export class ActiveClients {
  readonly #deps: Pick<EffectDeps, 'store' | 'timers'>;
  /** By client: the sessions in which it is active. */
  readonly #sessions = new Map<string, Set<string>>();
  /** By client: takes back what happens after the time of grace. */
  readonly #leaving = new Map<string, () => void>();

  constructor(deps: Pick<EffectDeps, 'store' | 'timers'>) {
    this.#deps = deps;
  }

  /** `session/activeClientSet` was committed, or the session was created with it. */
  added(clientId: string, session: string): void {
    const sessions = this.#sessions.get(clientId) ?? new Set();
    this.#sessions.set(clientId, sessions.add(session));
  }

  /** A client does not look at a session any more. */
  remove(clientId: string, session: string): void {
    const state = this.#deps.store.state('session', session);
    if (!state?.activeClients?.some((it) => it.clientId === clientId)) return;
    commitSession(this.#deps.store, session, { type: 'session/activeClientRemoved', clientId });
    this.removed(clientId, session);
  }

  /**
   * Its connection broke. After the time of grace it leaves every session of which it is not a subscriber again.
   * @param isThere whether it is connected and subscribed to the session
   */
  disconnected(clientId: string, isThere: (session: string) => boolean): void {
    if (!this.#sessions.get(clientId)?.size) return;
    this.#leaving.get(clientId)?.();
    const stop = this.#deps.timers.after(CLIENT_GRACE_MS, () => {
      this.#leaving.delete(clientId);
      for (const session of this.#sessions.get(clientId) ?? []) if (!isThere(session)) this.remove(clientId, session);
    });
    this.#leaving.set(clientId, stop);
  }

  /** `session/activeClientRemoved` was committed: its calls end as failed, and what it published goes. */
  removed(clientId: string, session: string): void {
    this.#sessions.get(clientId)?.delete(session);
    const { store } = this.#deps;
    const state = store.state('session', session);
    for (const { resource } of state?.chats ?? []) this.#failCalls(resource, clientId, store.state('chat', resource));
    for (const it of state?.customizations ?? []) {
      if ('clientId' in it && it.clientId === clientId)
        commitSession(store, session, { type: 'session/customizationRemoved', id: it.id });
    }
  }

  #failCalls(chat: string, clientId: string, state: ChatState | undefined): void {
    const turn = state?.activeTurn;
    for (const part of turn?.responseParts ?? []) {
      if (!turn || part.kind !== 'toolCall') continue;
      const { contributor, toolCallId, displayName, status } = part.toolCall;
      if (contributor?.kind !== 'client' || contributor.clientId !== clientId) continue;
      const call = { turnId: turn.id, toolCallId };
      // From streaming no call can end: it runs for a moment first.
      if (status === 'streaming')
        commitChat(this.#deps.store, chat, {
          type: 'chat/toolCallReady',
          ...call,
          invocationMessage: displayName,
          confirmed: 'not-needed',
        });
      if (status !== 'streaming' && status !== 'running' && status !== 'pending-confirmation') continue;
      commitChat(this.#deps.store, chat, { type: 'chat/toolCallComplete', ...call, result: goneResult });
    }
  }
}

/** The call ends `completed`: `cancelled` is for what a person decided. */
const goneResult = {
  success: false,
  pastTenseMessage: "The tool's window was closed",
  error: { message: 'The window that runs this tool was closed.' },
};

/** Why a client may not become active as it asks to be, by `session/activeClientSet` or with `createSession`. */
export function checkActiveClient({ clientId, tools }: SessionActiveClient, own: string): string | undefined {
  if (clientId !== own) return 'activeClient.clientId: must be your own client ID';
  const twice = tools.findIndex((it, at) => tools.some((other, before) => before < at && other.name === it.name));
  return twice < 0 ? undefined : `activeClient.tools.${twice}.name: appears more than once`;
}
