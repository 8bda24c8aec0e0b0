import type { RootState } from '../../../../sidecar/protocol/channels/root/schema.ts';
import type { RestoreState } from '../../contract/chatModel.ts';
import type { ChatDeps } from '../chatDeps.ts';

type LastUsed = Pick<ChatDeps['lastUsed'], 'agent' | 'modelOf'>;

/** A new chat asks nothing: the agent used last stands until a person chooses another, and else the first one. */
export function withLastAgent(
  chosen: RestoreState,
  root: RootState | undefined,
  lastUsed: LastUsed | undefined,
): RestoreState {
  if (chosen.session !== undefined || chosen.provider !== undefined) return chosen;
  const agents = root?.agents ?? [];
  const agent = agents.find((it) => it.provider === lastUsed?.agent) ?? agents[0];
  return agent ? { ...chosen, provider: agent.provider } : chosen;
}

/** The models come with the agent's offer; one that is gone, or locked by now, is not chosen. */
export function withLastModel(
  chosen: RestoreState,
  root: RootState | undefined,
  lastUsed: LastUsed | undefined,
): RestoreState {
  const { provider, session, model } = chosen;
  if (provider === undefined || session !== undefined || model !== undefined) return chosen;
  const last = lastUsed?.modelOf(provider);
  const known = root?.agents.find((it) => it.provider === provider)?.models.find((it) => it.id === last);
  return known && (known.policyState ?? 'enabled') === 'enabled' ? { ...chosen, model: known.id } : chosen;
}
