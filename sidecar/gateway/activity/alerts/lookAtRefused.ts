import type { AlertRuleRecord } from '../../../protocol/gateway/alerts/rule.ts';
import type { NewAlert } from '../../storage/alerts/alertOutbox.ts';
import type { RefusedCall } from '../../storage/alerts/refusedCalls.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { exceededBudgetIn } from '../limits/refusals.ts';

type Store = Pick<GatewayStore, 'alerts' | 'refusedCalls' | 'key'>;

/** Refused calls that are read together, and how often in one look. */
const REFUSED_AT_ONCE = 500;
const MAX_READS = 20;

/** Calls that guardrails or budgets refused. Those that no rule reports are dropped. */
export async function lookAtRefused(
  store: Store,
  ofGuardrails: readonly AlertRuleRecord[],
  ofBudgets: readonly AlertRuleRecord[],
): Promise<void> {
  // What happened before there was a rule is not reported.
  const begunMs = Math.min(...[...ofGuardrails, ...ofBudgets].map((it) => Date.parse(it.created_at)));
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const calls = await store.refusedCalls.first(REFUSED_AT_ONCE);
    if (calls.length === 0) return;
    const found = calls.filter((it) => Date.parse(it.endTime) >= begunMs);
    const exceeded = found.filter((it) => it.error_code === 'budget_exceeded');
    const blocked = found.filter((it) => it.error_code !== 'budget_exceeded');
    await store.alerts.noteAll([
      ...(ofGuardrails.length > 0 ? await Promise.all(blocked.map((it) => ofGuardrail(store, it))) : []),
      ...(ofBudgets.length > 0 ? exceeded.map(ofBudget) : []),
    ]);
    // Only now: a replica that is killed before it lets the next one look at them again, and each is noted once.
    await store.refusedCalls.remove(calls);
    if (calls.length < REFUSED_AT_ONCE) return;
  }
}

async function ofGuardrail(store: Pick<Store, 'key'>, call: RefusedCall): Promise<NewAlert> {
  const { request_id, startTime, api_key, mcp_namespaced_tool_name: tool } = call;
  const error = call.error ?? '';
  const key = await store.key.get(api_key);
  const who = key ? ` made with the key '${key.key_alias ?? key.key_name}'` : '';
  const guardrail = error.split(':', 1)[0] ?? '';
  const server = tool?.split('/', 1)[0];
  return {
    type: 'guardrail_block',
    occasion: `refused ${request_id}`,
    atMs: Date.parse(startTime),
    subject: { type: 'guardrail', id: guardrail, name: guardrail },
    message: `A call to '${tool ?? 'a tool'}'${who} was blocked. ${error}`,
    facts: { request_id, tool, ...(server && { server_id: server }), key: key?.token_id ?? null },
  };
}

/** Once for a budget and its window, and once a day for one that never begins anew. */
function ofBudget(call: RefusedCall): NewAlert {
  const error = call.error ?? '';
  const found = exceededBudgetIn(error);
  const name = found?.who ?? 'budget';
  return {
    type: 'budget_exceeded',
    occasion: `budget ${found ? `${name} ${found.max_budget}` : error} ${found?.resets_at ?? call.startTime.slice(0, 10)}`,
    atMs: Date.parse(call.startTime),
    subject: { type: 'budget', id: name, name },
    message: error,
    facts: {
      max_budget: found?.max_budget ?? null,
      current_cost: found?.current_cost ?? null,
      resets_at: found?.resets_at ?? null,
    },
  };
}
