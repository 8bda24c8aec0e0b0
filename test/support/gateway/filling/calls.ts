import { DailySums } from '../../../../sidecar/gateway/storage/activity/dailySums.ts';
import { type EndedCall, type LineFacts, LineKind } from '../../../../sidecar/gateway/storage/activity/endedCall.ts';
import { CallLines } from '../../../../sidecar/gateway/storage/activity/spendLogRow.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { KeyRecord } from '../../../../sidecar/protocol/gateway/key.ts';
import { type FilledBackends, toolNamesOf } from './backends.ts';
import type { FilledPeople } from './people.ts';
import type { Filling } from './plan.ts';
import { failures } from './words.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Lines in one transaction. */
const BATCH = 5_000;
/** Calls of one session. */
const SESSION = 12;

/**
 * Writes the lines of the log as a gateway does, with the sums of their days. A few keys make most calls. The writer has a name
 * of its own, so a gateway that runs on the database goes on with its own batches.
 */
export async function fillCalls(
  store: GatewayStore,
  filling: Filling,
  people: FilledPeople,
  backends: FilledBackends,
): Promise<void> {
  const { calls, days, nowMs } = filling;
  let seq = 0;
  for (let day = 0; day < days; day += 1) {
    const startMs = nowMs - (days - day) * DAY_MS;
    const count = Math.floor((calls * (day + 1)) / days) - Math.floor((calls * day) / days);
    const sums = new DailySums();
    let lines = new CallLines();
    for (let left = count; left > 0; left -= SESSION) {
      for (const call of sessionOf(filling, people, backends, startMs, Math.min(SESSION, left))) {
        sums.add(call);
        lines.add(call);
      }
      if (lines.length >= BATCH) {
        seq += 1;
        const batch = { writer: 'filling', seq, atMs: nowMs, spendings: [], used: [] };
        await store.activityWrites.write({ ...batch, lines, sums: new DailySums() });
        lines = new CallLines();
      }
    }
    seq += 1;
    await store.activityWrites.write({ writer: 'filling', seq, atMs: nowMs, spendings: [], used: [], lines, sums });
  }
}

/** The calls of one caller to one or two backends, one after another. */
function* sessionOf(
  filling: Filling,
  people: FilledPeople,
  backends: FilledBackends,
  dayMs: number,
  count: number,
): Generator<EndedCall> {
  const { random } = filling;
  // The square prefers the first ones.
  const key = people.keys[Math.floor(random.below(1_000) ** 2 * 1e-6 * people.keys.length)] ?? random.pick(people.keys);
  const who = factsOf(filling, key, people);
  const kinds = [kindOf(filling, who, backends), kindOf(filling, who, backends)];
  let startedMs = dayMs + random.below(DAY_MS - 60_000 * SESSION);
  for (let at = 0; at < count; at += 1) {
    const { facts, price, isModel } = random.pick(kinds);
    const durationMs = 4 + random.below(40) + (random.chance(0.05) ? random.below(20_000) : random.below(400));
    const isFailed = random.chance(0.03);
    const [error, error_code] = isFailed ? random.pick(failures) : [null, null];
    const prompt_tokens = isModel ? 200 + random.below(4_000) : 0;
    const completion_tokens = isModel && !isFailed ? 20 + random.below(900) : 0;
    yield {
      request_id: random.id(),
      facts,
      startedMs,
      endedMs: startedMs + durationMs,
      ttftMs: isFailed ? null : Math.max(1, durationMs - 2),
      request_duration_ms: durationMs,
      spend: isFailed ? 0 : price + prompt_tokens * 0.000_001_25 + completion_tokens * 0.000_01,
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      status: isFailed ? 'failure' : 'success',
      error,
      error_code,
    };
    startedMs += durationMs + random.below(30_000);
  }
}

type Who = Omit<LineFacts, 'call_type' | 'endpoint' | 'model'>;

function factsOf({ random }: Filling, key: KeyRecord, { teams, endUsers }: FilledPeople): Who {
  const team = teams.find((it) => it.team_id === key.team_id);
  const isTraced = random.chance(0.3);
  return {
    api_key: key.token,
    user: key.user_id ?? null,
    team_id: key.team_id ?? null,
    organization_id: team?.organization_id ?? null,
    end_user: random.chance(0.2) ? random.pick(endUsers).user_id : null,
    agent_id: null,
    session_id: `session-${random.id()}`,
    trace_id: isTraced ? `${random.id()}${random.id()}`.padEnd(32, '0').slice(0, 32) : null,
    model_group: null,
    custom_llm_provider: null,
    api_base: null,
    mcp_namespaced_tool_name: null,
    request_tags: key.tags ?? [],
    requester_ip_address: `10.${random.below(4)}.${random.below(256)}.${1 + random.below(254)}`,
    metadata: {},
  };
}

function kindOf({ random }: Filling, who: Who, { servers, agents, models }: FilledBackends) {
  const drawn = random.below(10);
  if (drawn < 2) {
    const { model_name, model_id, gateway_params } = random.pick(models);
    const [provider = '', model = ''] = gateway_params.model.split('/');
    const metadata = { attempts: [{ model_id, status: 200 }], prices: { source: 'model' } };
    const facts = { ...who, call_type: 'chat_completion', endpoint: '/v1/chat/completions', model, metadata };
    return {
      facts: new LineKind({ ...facts, model_group: model_name, custom_llm_provider: provider }),
      price: 0,
      isModel: true,
    };
  }
  if (drawn === 2) {
    const { agent_id, agent_name } = random.pick(agents);
    const facts = { ...who, agent_id, call_type: 'asend_message', endpoint: '/a2a/{agent_id}' };
    return { facts: new LineKind({ ...facts, model: `a2a_agent/${agent_name}` }), price: 0.05, isModel: false };
  }
  const server = random.pick(servers);
  const name = server.alias ?? server.server_id;
  if (drawn === 3) {
    const facts = { ...who, call_type: 'mcp:tools/list', endpoint: '/{server}/mcp', model: 'MCP: list_tools' };
    return { facts: new LineKind(facts), price: 0, isModel: false };
  }
  const tool = random.pick(toolNamesOf(name));
  const facts = { ...who, call_type: 'mcp:tools/call', endpoint: drawn < 6 ? '/mcp' : '/{server}/mcp' };
  const mcp_namespaced_tool_name = `${name}/${tool}`;
  return {
    facts: new LineKind({ ...facts, model: `MCP: ${tool}`, mcp_namespaced_tool_name }),
    price: 0.002,
    isModel: false,
  };
}
