import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import type { GuardrailMode } from '../../protocol/gateway/guardrails/definition.ts';
import { type GuardedTarget, type GuardRefusal, violation } from './call.ts';

/** The guardrails of one call, in the order of registration. */
export type Selection =
  | { readonly guardrails: readonly Guardrail[] }
  /** One that is asked for is not there: nobody may believe in a protection that does not exist. */
  | { readonly refusal: GuardRefusal };

/**
 * The guardrails that are on by default, and those that key, team or server name. Naming one twice, or one that is on
 * already, changes nothing.
 */
export function select(guardrails: readonly Guardrail[], { context: { caller }, server }: GuardedTarget): Selection {
  const names = [caller.key, caller.team, server].flatMap((it) => it?.guardrails ?? []);
  const missing = names.find((name) => !guardrails.some((it) => it.guardrail_name === name));
  if (missing !== undefined) {
    const shown = missing.slice(0, 128);
    return { refusal: violation(shown, `The requested guardrail '${shown}' does not exist.`) };
  }
  return {
    guardrails: guardrails.filter((it) => it.gateway_params.default_on || names.includes(it.guardrail_name)),
  };
}

/** Nothing is configured and nothing is asked for, as for most calls of most gateways. */
export const isUnguarded = (
  guardrails: readonly Guardrail[],
  { context: { caller }, server }: GuardedTarget,
): boolean =>
  guardrails.length === 0 &&
  !caller.key.guardrails?.length &&
  !caller.team?.guardrails?.length &&
  !server.guardrails?.length;

/** Whether a guardrail runs in this mode. */
export const runsIn = ({ gateway_params }: Guardrail, mode: GuardrailMode): boolean =>
  gateway_params.mode === mode || (Array.isArray(gateway_params.mode) && gateway_params.mode.some((it) => it === mode));
