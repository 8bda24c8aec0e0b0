import { Fault } from '../../platform/faults.ts';
import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import type { GuardrailMode } from '../../protocol/gateway/guardrails/definition.ts';
import type { GuardedCall, GuardRefusal, PreVerdict, Rule } from './call.ts';
import { readable } from './readable.ts';

/** What one guardrail would do to a call, in one of its modes. */
export interface Tried {
  readonly guardrail_name: string;
  readonly mode: GuardrailMode;
  /** `not_tried`: it judges something that a try-out does not have. */
  readonly outcome: 'allow' | 'block' | 'replace' | 'add_headers' | 'failed' | 'not_tried';
  /** For the caller of such a call. */
  readonly message?: string;
  readonly arguments?: GuardedCall['arguments'];
  readonly result?: Readonly<Record<string, unknown>>;
  /** Names of the headers that the server would get. */
  readonly headers?: readonly string[];
}
type Outcome = Omit<Tried, 'guardrail_name' | 'mode'>;

/**
 * What guardrails would do to a call, one after the other, each with the arguments and the result that the ones before it
 * made. No call is made, and nothing is recorded. One that refuses does not hide what the others would do.
 *
 * @param result of the call; without it, guardrails that judge results are not tried
 */
export async function tryOut(
  guardrails: readonly Guardrail[],
  ruleOf: (guardrail: Guardrail) => Rule,
  call: GuardedCall,
  result: Readonly<Record<string, unknown>> | undefined,
): Promise<readonly Tried[]> {
  let judged = { call, result };
  const tried: Tried[] = [];
  for (const mode of ['pre_mcp_call', 'during_mcp_call', 'post_mcp_call'] as const)
    for (const guardrail of guardrails.filter((it) => [it.gateway_params.mode].flat().includes(mode))) {
      const outcome = await outcomeOf(guardrail, ruleOf(guardrail), mode, judged);
      judged = {
        call: outcome.arguments ? { ...judged.call, arguments: outcome.arguments } : judged.call,
        result: outcome.result ?? judged.result,
      };
      tried.push({ guardrail_name: guardrail.guardrail_name, mode, ...outcome });
    }
  return tried;
}

async function outcomeOf(
  guardrail: Guardrail,
  rule: Rule,
  mode: GuardrailMode,
  { call, result }: { readonly call: GuardedCall; readonly result: Tried['result'] },
): Promise<Outcome> {
  try {
    if (mode === 'post_mcp_call') {
      if (!rule.post || !result) return { outcome: 'not_tried' };
      const verdict = await rule.post(call, result);
      if (verdict.refusal) return blocked(verdict.refusal);
      return verdict.result ? { outcome: 'replace', result: verdict.result } : { outcome: 'allow' };
    }
    const read = readable(call, [guardrail]);
    if ('refusal' in read) return blocked(read.refusal);
    if (mode === 'during_mcp_call') {
      const refusal = await rule.during?.(read.call, call.context.signal);
      return refusal ? blocked(refusal) : { outcome: 'allow' };
    }
    // It would ask the server for its tools, and keep what it lists.
    if (!rule.pre || rule.beforeSending) return { outcome: 'not_tried' };
    return outcomeBefore(await rule.pre(read.call));
  } catch (thrown) {
    if (thrown instanceof Fault) return { outcome: 'failed', message: thrown.message };
    return { outcome: 'failed' };
  }
}

function outcomeBefore({ refusal, arguments: changed, headers }: PreVerdict): Outcome {
  if (refusal) return blocked(refusal);
  if (changed) return { outcome: 'replace', arguments: changed };
  return headers ? { outcome: 'add_headers', headers: Object.keys(headers) } : { outcome: 'allow' };
}

const blocked = ({ message }: GuardRefusal): Outcome => ({ outcome: 'block', message });
