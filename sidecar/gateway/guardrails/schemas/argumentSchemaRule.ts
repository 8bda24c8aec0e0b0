import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import { type GuardedCall, type GuardRefusal, type Rule, violation } from '../call.ts';
import type { ArgumentChecks } from './checkArguments.ts';

/** Refuses arguments that the tool itself says it does not take. */
export function argumentSchemaRule(
  name: string,
  params: GuardrailParams<'argument_schema'>,
  { checks }: { readonly checks: ArgumentChecks },
): Rule {
  const judge = async (call: GuardedCall): Promise<GuardRefusal | undefined> => {
    const checked = await checks.check(call);
    const tool = call.tool.slice(0, 128);
    if ('unusable' in checked) {
      if (params.when_unchecked === 'allow') return undefined;
      return violation(name, `The arguments for '${tool}' cannot be checked because its schema ${checked.unusable}.`);
    }
    if (checked.mismatch === undefined) return undefined;
    return violation(name, `The arguments do not match the schema for '${tool}': ${checked.mismatch}.`);
  };
  return {
    async pre(call) {
      const refusal = await judge(call);
      return refusal ? { refusal } : {};
    },
    during: judge,
  };
}
