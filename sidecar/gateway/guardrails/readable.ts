import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import { type GuardrailKind, guardrailDefinitions } from '../../protocol/gateway/guardrails/index.ts';
import { plainNumbers } from '../wire/numbers.ts';
import { twinAmong, twinWords } from '../wire/shape.ts';
import { type GuardedCall, type GuardRefusal, violation } from './call.ts';

const readers: ReadonlySet<GuardrailKind> = new Set(
  guardrailDefinitions.filter((it) => it.readsArguments).map((it) => it.guardrail),
);

/**
 * The call as guardrails may judge its arguments: with numbers that JavaScript computes with. Arguments that the tool's
 * server could read otherwise than the guardrail are refused in its name: two that fold to one, a number that JavaScript
 * cannot hold.
 */
export function readable(
  call: GuardedCall,
  guardrails: readonly Guardrail[],
): { readonly call: GuardedCall } | { readonly refusal: GuardRefusal } {
  const reader = guardrails.find((it) => readers.has(it.gateway_params.guardrail));
  if (!reader) return { call };
  const { guardrail_name: name } = reader;
  const twin = twinAmong(Object.keys(call.arguments));
  if (twin) return { refusal: violation(name, `The arguments cannot be checked: ${twinWords(twin)}.`) };
  const { value, rounded } = plainNumbers(call.arguments);
  if (rounded !== undefined)
    return {
      refusal: violation(
        name,
        `The number in the argument '${rounded.slice(0, 256)}' cannot be checked because it has too many digits. Send it as a string.`,
      ),
    };
  if (value === call.arguments) return { call };
  return { call: { ...call, arguments: value as GuardedCall['arguments'] } };
}
