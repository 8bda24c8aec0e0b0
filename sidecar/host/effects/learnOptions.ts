import { withDial } from '../../protocol/channels/session/permissionDial.ts';
import { isSandboxed, withoutOwnChoices, withSandbox } from '../../protocol/channels/session/sandboxChoice.ts';
import type { AgentRuntime } from '../agents/agentRuntimes.ts';
import { asking, valuesOf } from '../agents/modes/askingModes.ts';
import { heldDial } from '../agents/modes/permissionDial.ts';
import { toConfig } from '../agents/sessionConfig.ts';
import { commitSession } from '../context/chatAccess.ts';
import { followTitle } from '../sessions/agentTitle.ts';
import { failDeciding } from '../sessions/failDeciding.ts';
import { guard, type HandlerDeps } from './handlerDeps.ts';

/** An agent lists what it offers, perhaps other things than before: no action carries that. */
export function learnOptions(
  { effectDeps, agents, runtimes }: Pick<HandlerDeps, 'effectDeps' | 'agents' | 'runtimes'>,
  runtime: AgentRuntime,
): void {
  const { chat, session, provider, agent, began } = runtime;
  const { store } = effectDeps;
  followTitle(store, runtime);
  agents.learned(provider.id, agent.options, began);
  const state = store.state('session', session);
  if (!state) return;
  const chosen = () => runtimes.modes.chosen(session, store.state('session', session));
  const options = asking(agent.options, chosen());
  const end = () => {
    failDeciding(effectDeps, chat, provider.displayName);
    return runtimes.close(chat);
  };
  void guard(effectDeps, runtimes.modes.hold(agent, chosen, end));
  const offered = toConfig(
    options,
    agent.configure ? valuesOf(options) : withoutOwnChoices(state.config?.values ?? {}),
  );
  const known = state.config?.values;
  const config =
    provider.isRemote === true ? offered : withSandbox(withDial(offered, heldDial(offered, known)), isSandboxed(known));
  if (JSON.stringify(config) === JSON.stringify(state.config)) return;
  store.replaceState('session', session, (it) => ({ ...it, config }));
  commitSession(store, session, { type: 'session/ready' }); // mirrors subscribe again
}
