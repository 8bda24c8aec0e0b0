import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import type { ModelRecord, PriceSource } from '../../protocol/gateway/model.ts';
import type { Accounting } from '../activity/accounting.ts';
import type { CallContext } from '../auth/caller.ts';
import type { ModelGate } from './modelGate.ts';
import { costOf, greatestCost, type ModelPrices, pricesOf } from './prices/prices.ts';
import type { ModelCall } from './readCall.ts';
import type { ModelUsage } from './usage/modelUsage.ts';

/** The amount to reserve for a call, and its cost afterwards. */
export interface CallBudget {
  /** US dollars reserved before the call: its maximum cost if a budget limits the caller, otherwise 0. */
  readonly reserved: number;
  /** @param usage if it is not known, the reserved amount is charged */
  costOf(backend: ModelRecord, usage: ModelUsage | undefined): number;
  /** Where the prices of a backend come from; absent if they are not known. */
  sourceOf(backend: ModelRecord): PriceSource | undefined;
}

export interface CallBudgetDeps {
  readonly clock: Clock;
  readonly accounting: Pick<Accounting, 'hasBudget'>;
  readonly gate?: ModelGate | undefined;
}

/** @throws {Fault} `invalid_params` if a budget limits the caller and the cost of the call cannot be bounded */
export async function budgetFor(
  { clock, accounting, gate }: CallBudgetDeps,
  call: ModelCall,
  backends: readonly ModelRecord[],
  context: CallContext,
): Promise<CallBudget> {
  if (call.operation.isCount) return free;
  const today = clock.now().slice(0, 10);
  const prices = new Map<string, ModelPrices | undefined>();
  for (const it of backends) prices.set(it.model_id, await pricesOf(it.gateway_params, today));
  const hasBudget = accounting.hasBudget(context);
  const isLimited =
    (hasBudget instanceof Promise ? await hasBudget : hasBudget) || gate?.limitsCost(context.caller.key.token) === true;
  const costs = isLimited ? backends.map((it) => mostOf(call, it, prices.get(it.model_id))) : [];
  const reserved = Math.max(0, ...costs);
  return {
    reserved,
    costOf(backend, usage) {
      const own = prices.get(backend.model_id);
      if (!usage) return reserved;
      return own ? costOf(own, usage) : 0;
    },
    sourceOf: (backend) => prices.get(backend.model_id)?.source,
  };
}

const free: CallBudget = { reserved: 0, costOf: () => 0, sourceOf: () => undefined };

function mostOf(call: ModelCall, { gateway_params }: ModelRecord, prices: ModelPrices | undefined): number {
  const { alias } = call;
  if (!prices)
    throw unknownCost(
      alias,
      "its prices are not known. Set 'input_cost_per_token' and 'output_cost_per_token' of the model",
    );
  const output = call.maxOutput ?? gateway_params.max_output_tokens;
  if (output === null || output === undefined)
    throw unknownCost(
      alias,
      "the call does not limit its output. Set the maximum in the call, or 'max_output_tokens' of the model",
    );
  // A token has at least one byte. Input outside the body is limited by the model's context window.
  const input = call.refersToInput ? prices.context : call.inputBytes;
  if (input === undefined)
    throw unknownCost(
      alias,
      "the call refers to input that the gateway does not see. Set 'max_input_tokens' of the model",
    );
  return greatestCost(prices, input, output * call.choices);
}

const unknownCost = (alias: string, why: string) =>
  new Fault(
    'invalid_params',
    `A budget limits this key, so it can use '${alias}' only if the cost of a call is known beforehand, but ${why}.`,
    { data: { field: 'model', reason: 'cost_unknown' } },
  );
