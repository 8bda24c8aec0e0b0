import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import { type GuardedCall, type GuardRefusal, type Rule, violation } from '../call.ts';
import { type ArgumentChecks, checkedWords } from './checkArguments.ts';

/** Refuses arguments that the tool itself says it does not take. */
export function argumentSchemaRule(
  name: string,
  params: GuardrailParams<'argument_schema'>,
  { checks }: { readonly checks: ArgumentChecks },
): Rule {
  const judge = async (call: GuardedCall): Promise<GuardRefusal | undefined> => {
    const checked = await checks.check(call);
    if ('unusable' in checked && params.when_unchecked === 'allow') return undefined;
    const words = checkedWords(call.tool, checked);
    return words === undefined ? undefined : violation(name, words);
  };
  return {
    async pre(call) {
      const refusal = await judge(call);
      return refusal ? { refusal } : {};
    },
    recheck: judge,
    during: judge,
  };
}
