import type { AgentRecord } from '../../../protocol/gateway/agent.ts';

/** How much of a question an agent's name, description and skills speak of, from 0 to 1: the part of its words they hold. */
export function scoreOf({ agent_name, agent_card_params }: AgentRecord, query: string): number {
  const asked = wordsOf(query);
  if (asked.size === 0) return 0;
  const { name, description, skills } = agent_card_params;
  const own = wordsOf(JSON.stringify([agent_name, name, description, skills]));
  const found = [...asked].filter((it) => own.has(it) || [...own].some((word) => word.startsWith(it)));
  return found.length / asked.size;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
