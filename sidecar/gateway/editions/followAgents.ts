import type { OfferedAgent } from '../../launch/gateway/gatewayContract.ts';
import type { Log } from '../../platform/logger.ts';
import { shownText } from '../../platform/shownText.ts';
import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import type { GatewayStore } from '../storage/store.ts';
import { followRecords } from './followRecords.ts';

export interface FollowAgentsDeps {
  readonly store: Pick<GatewayStore, 'agent' | 'changes'>;
  readonly log: Log;
  /** A key without permissions of its own, as sessions have, can use every agent. */
  readonly isOpenToAll: boolean;
  /** Whether a cloud-agents service is configured. */
  readonly hasCloud: boolean;
}

/** Reports the agents that sessions can call: now, and each time an agent is registered, changed, or removed. */
export async function followAgents(
  { store, log, isOpenToAll, hasCloud }: FollowAgentsDeps,
  report: (agents: readonly OfferedAgent[]) => void,
): Promise<void> {
  if (!isOpenToAll) return report([]);
  const { changes } = store;
  const read = async () => {
    const agents = await store.agent.all();
    return [...agents.filter(isUsable).map(toOffered), ...(hasCloud ? [cloud] : [])];
  };
  const failed = (thrown: unknown) => log.warn({ thrown }, 'the registered A2A agents could not be read');
  await followRecords({ changes, kind: 'agent', read, failed }, report);
}

const cloud: OfferedAgent = { id: 'cloud', name: 'Cloud agents', description: '', isCloud: true };

/** An agent without an address can be registered, but it cannot be called. */
const isUsable = ({ agent_card_params: { url }, gateway_params }: AgentRecord): boolean =>
  typeof url === 'string' && url !== '' && gateway_params?.enabled !== false;

function toOffered({ agent_id, agent_name, agent_card_params: card }: AgentRecord): OfferedAgent {
  const { name, description } = card;
  return {
    id: agent_id,
    name: shownText(typeof name === 'string' && name !== '' ? name : agent_name, 100),
    description: typeof description === 'string' ? shownText(description, 500) : '',
  };
}
