import type { AgentRuntime } from '../agents/agentRuntimes.ts';
import { commitSession } from '../context/chatAccess.ts';
import type { Store } from '../state/store.ts';
import { titleOf } from './aggregate.ts';

/**
 * Calls a session as the agent of its first chat calls its conversation. A title that a person gave stays: only one that the
 * agent gave, or that was taken from the first message, is replaced.
 */
export function followTitle(store: Store, runtime: AgentRuntime): void {
  const { session, chat, agent } = runtime;
  const { title } = agent;
  const state = store.state('session', session);
  if (title === undefined || title === runtime.title || !state || state.defaultChat !== chat) return;
  const { activeTurn, turns = [] } = store.state('chat', chat) ?? {};
  const [first] = [...turns, ...(activeTurn ? [activeTurn] : [])];
  const isOurs = [runtime.title, '', first && titleOf(first.message.text)].includes(state.title);
  if (!isOurs) return;
  runtime.title = title;
  if (title !== state.title) commitSession(store, session, { type: 'session/titleChanged', title }, false);
}
