import { momentOf } from '../../platform/clock.ts';
import type { ModelHealth, ModelPriceList } from '../../protocol/gateway/answers.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';
import type { BackendChoice, BackendState } from './backendChoice.ts';
import { pricesOf } from './prices/prices.ts';

/** What a backend of a model costs, and how calls to it from this replica went. */
export interface ModelDescription {
  /** `null` if its prices are not known. */
  readonly prices: ModelPriceList | null;
  readonly health: ModelHealth;
}

export async function describeModel(
  record: ModelRecord,
  choice: Pick<BackendChoice, 'stateOf'>,
  nowMs: number,
): Promise<ModelDescription> {
  const found = await pricesOf(record.gateway_params, momentOf(nowMs).slice(0, 10));
  return { prices: found ? listOf(found) : null, health: healthOf(choice.stateOf(record), nowMs) };
}

function listOf({ rates, source }: NonNullable<Awaited<ReturnType<typeof pricesOf>>>): ModelPriceList {
  const { input, output, cacheRead, cacheCreation } = rates;
  const first = (rate: readonly number[]) => rate[0] ?? 0;
  const steps = [input, output].flatMap((it) => it[1] ?? []);
  return {
    ...source,
    input: first(input),
    output: first(output),
    cache_read: first(cacheRead ?? input),
    cache_creation: first(cacheCreation ?? input),
    ...(steps.length > 0 && { higher_above: Math.min(...steps) }),
  };
}

function healthOf(state: BackendState | undefined, nowMs: number): ModelHealth {
  if (!state) return { status: 'unknown', failures: 0, requests: 0, tokens: 0 };
  const { failures, coolForMs, requests, tokens, isFull } = state;
  const status = coolForMs > 0 ? 'cooling_down' : isFull ? 'full' : 'ready';
  const until = coolForMs > 0 ? { ready_at: momentOf(nowMs + coolForMs) } : {};
  return { status, failures, requests, tokens, ...until };
}
