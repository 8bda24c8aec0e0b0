import { type GuardedCall, type GuardRefusal, type PreVerdict, type Rule, violation } from '../call.ts';
import { redactArguments } from './redactArguments.ts';
import type { Search } from './redactText.ts';

const longestPath = 256;

/** Takes finds out of the arguments, or refuses the call for them. @param error under which a blocked find is refused */
export function textRule(
  name: string,
  searches: readonly Search[],
  maxCharacters: number,
  error: GuardRefusal['error'] = 'guardrail_violation',
): Rule {
  const judge = (call: GuardedCall): PreVerdict => {
    const redacted = redactArguments(call.arguments, searches, maxCharacters);
    if ('refused' in redacted) return { refusal: violation(name, redacted.refused) };
    if ('blocked' in redacted) return { refusal: { ...violation(name, wordsOf(redacted.blocked)), error } };
    return redacted.arguments === call.arguments ? {} : { arguments: redacted.arguments };
  };
  return { pre: judge, during: (call) => judge(call).refusal };
}

function wordsOf({ kind, path }: { readonly kind: string; readonly path: string }): string {
  const where = path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
  return `The argument '${where}' contains data that must not be sent: ${kind}.`;
}
