import { momentOf } from '../../../platform/clock.ts';
import type { AlertRuleRecord } from '../../../protocol/gateway/alerts/rule.ts';
import type { NewAlert } from '../../storage/alerts/alertOutbox.ts';
import type { RefusedCall } from '../../storage/alerts/alertReads.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { exceededBudgetIn } from '../limits/refusals.ts';

type Store = Pick<GatewayStore, 'alerts' | 'alertReads' | 'key'>;

/** Records of calls are written so long after the calls began, at most, while the database answers. */
const LATE_MS = 2 * 60_000;
const SCANNED = 'scanned';
/** So often, the time up to which records were looked at is written. */
const MARK_MS = 30_000;
/** Refused calls of one look. */
const REFUSED_AT_ONCE = 500;

const guardrailCodes = ['guardrail_violation', 'blocked_pii_entity'] as const;

/** Calls that guardrails or budgets refused, from the records of calls. */
export async function lookAtRefused(
  store: Store,
  ofGuardrails: readonly AlertRuleRecord[],
  ofBudgets: readonly AlertRuleRecord[],
  now: number,
): Promise<void> {
  const rules = [...ofGuardrails, ...ofBudgets];
  if (rules.length === 0) return;
  // What happened before there was a rule is not reported.
  const begunMs = Math.min(...rules.map((it) => Date.parse(it.created_at)));
  const scannedMs = (await store.alerts.mark(SCANNED)) ?? begunMs;
  const fromMs = Math.max(begunMs, scannedMs - LATE_MS);
  const blocked =
    ofGuardrails.length > 0 ? await store.alertReads.refused(guardrailCodes, fromMs, REFUSED_AT_ONCE) : [];
  const exceeded = ofBudgets.length > 0 ? await store.alertReads.exceededBudgets(fromMs, REFUSED_AT_ONCE) : [];
  await store.alerts.noteAll([
    ...(await Promise.all(blocked.map((it) => ofGuardrail(store, it)))),
    ...exceeded.map(ofBudget),
  ]);
  // Those that are left are found by the next look.
  const isMore = blocked.length === REFUSED_AT_ONCE || exceeded.length === REFUSED_AT_ONCE;
  if (!isMore && now - scannedMs >= MARK_MS) await store.alerts.setMark(SCANNED, now);
}

async function ofGuardrail(
  store: Store,
  { request_id, startedMs, api_key, error, tool }: RefusedCall,
): Promise<NewAlert> {
  const key = await store.key.get(api_key);
  const who = key ? ` made with the key '${key.key_alias ?? key.key_name}'` : '';
  const guardrail = error.split(':', 1)[0] ?? '';
  const server = tool?.split('/', 1)[0];
  return {
    type: 'guardrail_block',
    occasion: `refused ${request_id}`,
    atMs: startedMs,
    subject: { type: 'guardrail', id: guardrail, name: guardrail },
    message: `A call to '${tool ?? 'a tool'}'${who} was blocked. ${error}`,
    facts: { request_id, tool, ...(server && { server_id: server }), key: key?.token_id ?? null },
  };
}

/** Once for a budget and its window, and once a day for one that never begins anew. */
function ofBudget({ startedMs, error }: { readonly startedMs: number; readonly error: string }): NewAlert {
  const found = exceededBudgetIn(error);
  const name = found?.who ?? 'budget';
  return {
    type: 'budget_exceeded',
    occasion: `budget ${found ? `${name} ${found.max_budget}` : error} ${found?.resets_at ?? dayOf(startedMs)}`,
    atMs: startedMs,
    subject: { type: 'budget', id: name, name },
    message: error,
    facts: {
      max_budget: found?.max_budget ?? null,
      current_cost: found?.current_cost ?? null,
      resets_at: found?.resets_at ?? null,
    },
  };
}

const dayOf = (ms: number): string => momentOf(ms).slice(0, 10);
