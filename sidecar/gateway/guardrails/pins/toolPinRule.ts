import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import { type GuardedCall, type Rule, violation } from '../call.ts';
import type { Pins } from './pins.ts';
import type { PinRules } from './toolPin.ts';

/**
 * Refuses calls of tools that are held, and of those that their server does not list. The list is asked for with each call that is
 * about to be sent, so that the same holds for callers that never ask for it: the first sight pins, a change holds.
 *
 * @param shared `look` has the pins judge what the call's server lists now; it throws where that cannot be asked, and then
 * nothing is called
 */
export function toolPinRule(
  name: string,
  params: GuardrailParams<'tool_definition_pin'>,
  { pins, look }: { readonly pins: Pins; readonly look: (call: GuardedCall) => Promise<void> },
): Rule {
  const refusal = ({ tool }: GuardedCall) =>
    violation(name, `The tool '${tool.slice(0, 128)}' is blocked because its definition has not been approved.`);
  return {
    async pre(call) {
      return (await pins.mayCall(call.server.server_id, call.tool, params)) ? {} : { refusal: refusal(call) };
    },
    async beforeSending(call) {
      await look(call);
      return (await pins.isApproved(call.server.server_id, call.tool)) ? undefined : refusal(call);
    },
  };
}

/** Where several apply to one list, each is kept. */
export const strictest = (all: readonly PinRules[]): PinRules => ({
  pin_on_first_use: all.every((it) => it.pin_on_first_use),
  new_tools: all.some((it) => it.new_tools === 'hold') ? 'hold' : 'pin',
});
