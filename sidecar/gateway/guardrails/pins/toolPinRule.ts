import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import { type Rule, violation } from '../call.ts';
import type { Pins } from './pins.ts';
import type { PinRules } from './toolPin.ts';

/** Refuses calls of tools that are held. */
export function toolPinRule(name: string, params: GuardrailParams<'tool_definition_pin'>, pins: Pins): Rule {
  return {
    async pre({ server, tool }) {
      if (await pins.mayCall(server.server_id, tool, params)) return {};
      const words = `The tool '${tool.slice(0, 128)}' is held: its definition has not been approved.`;
      return { refusal: violation(name, words) };
    },
  };
}

/** Where several apply to one list, each is kept. */
export const strictest = (all: readonly PinRules[]): PinRules => ({
  pin_on_first_use: all.every((it) => it.pin_on_first_use),
  new_tools: all.some((it) => it.new_tools === 'hold') ? 'hold' : 'pin',
});
