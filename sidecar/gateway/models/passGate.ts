import type { EndModelCall } from '../../launch/gateway/modelCalls.ts';
import { Fault } from '../../platform/faults.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';
import type { CallContext } from '../auth/caller.ts';
import { budgetFor, type CallBudget, type CallBudgetDeps } from './callBudget.ts';
import type { ModelCall } from './readCall.ts';
import { subAgentOf } from './subAgents.ts';

/** A call with the backends that can serve it and what it can cost. */
export interface PricedCall {
  readonly call: ModelCall;
  readonly backends: readonly ModelRecord[];
  readonly budget: CallBudget;
}

export interface PassGateDeps extends CallBudgetDeps {
  /** Other models that the caller may use at the same path, with their backends. */
  readonly others: (
    call: ModelCall,
    context: CallContext,
  ) => Promise<readonly (readonly [string, readonly ModelRecord[]])[]>;
}

/**
 * Waits for the decision about a call that would exceed a budget. Nothing has been sent yet.
 *
 * @returns the call to send, which is for another model if the user chose one
 * @throws {Fault} if the call is refused
 */
export async function passGate(
  deps: PassGateDeps,
  asked: PricedCall,
  context: CallContext,
): Promise<readonly [PricedCall, EndModelCall]> {
  const { call, budget } = asked;
  const { caller, signal, progress } = context;
  let offered: readonly PricedCall[] = [];
  const cheaper = async () => {
    offered = await cheaperCalls(deps, asked, context);
    return offered.map((it) => ({ model: it.call.alias, dollars: it.budget.reserved }));
  };
  const subAgent = subAgentOf(context);
  const gated = {
    model: call.alias,
    ...(subAgent !== undefined && { subAgent }),
    dollars: budget.reserved,
    cheaper,
    signal,
  };
  const passing = call.operation.isCount ? undefined : deps.gate?.admit(caller.key.token, gated);
  if (!passing) return [asked, () => undefined];
  const { model, end } = await progress.during(passing);
  const chosen = model === undefined ? asked : offered.find((it) => it.call.alias === model);
  if (chosen) return [chosen, end];
  end(undefined);
  throw new Error(`the gate chose the model '${model}', which was not offered`);
}

async function cheaperCalls(
  deps: PassGateDeps,
  { call, budget }: PricedCall,
  context: CallContext,
): Promise<readonly PricedCall[]> {
  const found: PricedCall[] = [];
  for (const [alias, all] of await deps.others(call, context)) {
    const backends = all.filter((it) => canAnswer(it, call));
    const other = { ...call, alias };
    const own = backends.length > 0 && (await knownBudget(deps, other, backends, context));
    if (own && own.reserved < budget.reserved) found.push({ call: other, backends, budget: own });
  }
  return found;
}

/** A provider refuses a call whose output limit exceeds that of the model. */
const canAnswer = ({ gateway_params: { max_output_tokens: most } }: ModelRecord, { maxOutput }: ModelCall): boolean =>
  most == null || maxOutput === undefined || maxOutput <= most;

/** @returns `undefined` if the cost cannot be known before the call */
async function knownBudget(...given: Parameters<typeof budgetFor>): Promise<CallBudget | undefined> {
  try {
    return await budgetFor(...given);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'invalid_params') return undefined;
    throw thrown;
  }
}
