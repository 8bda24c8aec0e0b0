import { isRecord } from '../platform/isRecord.ts';
import type { Json } from './json.ts';

const ID = 'x-switchboard-default';

/** VS Code's picker does not let an agent be chosen that names no model. One of ours chooses for itself then. */
export function withDefaultModel(agent: Json): Json {
  const { models, provider } = agent;
  if (!Array.isArray(models) || models.length > 0) return agent;
  return { ...agent, models: [{ id: ID, provider, name: 'Default' }] };
}

/** A message as the agent gets it, that chose no model. */
export function withoutDefaultModel(message: Json): Json {
  if (!isRecord(message['model']) || message['model']['id'] !== ID) return message;
  const { model: _ofNobody, ...others } = message;
  return others;
}
