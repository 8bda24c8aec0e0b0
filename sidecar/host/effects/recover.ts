import type { SessionState } from '../../protocol/channels/session/schema.ts';
import { commitChat, commitSession } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { elapsed } from '../context/elapsed.ts';
import { problemOf, setProblem } from '../context/problems.ts';
import { removeOwnTree } from '../sessions/ownTrees.ts';

/** Sessions that nobody sent anything in are let go after this time. */
const UNLISTED_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Puts right what a host that was killed left behind: turns that ran end as errors that say so,
 * their questions are void, and a session that waited for its agent is ready, to start it when it is asked for something.
 * Runs before anyone connects; costs nothing for sessions at rest.
 */
export function recover(effectDeps: EffectDeps): void {
  const { store, storage } = effectDeps;
  for (const chat of storage.chats.running()) {
    interrupt(effectDeps, chat);
  }
  for (const session of storage.sessions.busy()) {
    effectDeps.changes.recover(session);
    if (problemOf(store, session)?.kind === 'agentSilent') setProblem(store, session, undefined);
    const state = store.state('session', session);
    for (const { id } of state?.inputNeeded ?? [])
      commitSession(store, session, { type: 'session/inputNeededRemoved', id });
    for (const { clientId } of state?.activeClients ?? []) {
      commitSession(store, session, { type: 'session/activeClientRemoved', clientId });
    }
    if (state?.lifecycle === 'creating') commitSession(store, session, { type: 'session/ready' });
  }
  const gone: SessionState['_meta'][] = [];
  const before = new Date(effectDeps.clock.nowMs() - UNLISTED_MS).toISOString();
  for (const session of storage.sessions.unlistedBefore(before)) {
    for (const chat of storage.chats.ofSession(session)) store.remove(chat);
    gone.push(store.state('session', session)?._meta);
    store.remove(session);
  }
  store.flush();
  // Now that the rows tell who is left: another session may work in the tree of one that goes.
  for (const meta of gone)
    removeOwnTree(effectDeps, meta).catch((thrown: unknown) => effectDeps.report(effectDeps.newId(), thrown));
}

/** Ends the running turn of a chat that nobody will play to its end. */
export function interrupt(effectDeps: Pick<EffectDeps, 'store' | 'clock'>, chat: string): void {
  const { store } = effectDeps;
  const state = store.state('chat', chat);
  if (!state?.activeTurn) return;
  const { id: turnId, startedAt } = state.activeTurn;
  if (state.activity !== undefined) commitChat(store, chat, { type: 'chat/activityChanged' });
  const message = "Switchboard stopped while this turn was running. The agent's work up to that point is shown above.";
  const error = { errorType: 'interrupted', message };
  commitChat(store, chat, { type: 'chat/error', turnId, duration: elapsed(effectDeps, startedAt), error });
}
