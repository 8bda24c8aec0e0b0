import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import type { RedactionAction } from '../../../protocol/gateway/guardrails/redaction.ts';
import { type GuardedCall, type GuardRefusal, type PreVerdict, type Rule, violation } from '../call.ts';
import type { Finder } from './finder.ts';
import { piiFinders } from './pii.ts';
import { redactArguments } from './redactArguments.ts';
import type { Search } from './redactText.ts';
import { secretFinders } from './secrets.ts';

type Params = GuardrailParams<'secret_redaction' | 'pii_redaction'>;

const longestPath = 256;

/** Takes secrets or personal data out of arguments, or refuses the call for them. */
export function redactionRule(name: string, params: Params): Rule {
  const searches =
    params.guardrail === 'pii_redaction'
      ? searchesFor(piiFinders, params.action, { ipv4: 'off', ...params.rules })
      : searchesFor(secretFinders, params.action, params.rules);
  const judge = (call: GuardedCall): PreVerdict => {
    const redacted = redactArguments(call.arguments, searches, params.max_characters);
    if ('refused' in redacted) return { refusal: violation(name, redacted.refused) };
    if ('blocked' in redacted) return { refusal: blocked(name, params.guardrail, redacted.blocked) };
    return redacted.arguments === call.arguments ? {} : { arguments: redacted.arguments };
  };
  return { pre: judge, during: (call) => judge(call).refusal };
}

function searchesFor(
  finders: Readonly<Record<string, Finder>>,
  action: RedactionAction,
  rules: Readonly<Record<string, RedactionAction | 'off' | undefined>> = {},
): readonly Search[] {
  return Object.entries(finders).flatMap(([kind, find]) => {
    const own = rules[kind] ?? action;
    return own === 'off' ? [] : [{ kind, action: own, find }];
  });
}

function blocked(
  guardrail_name: string,
  guardrail: Params['guardrail'],
  { kind, path }: { readonly kind: string; readonly path: string },
): GuardRefusal {
  const where = path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
  return {
    guardrail_name,
    error: guardrail === 'pii_redaction' ? 'blocked_pii_entity' : 'guardrail_violation',
    message: `The argument '${where}' holds what may not be sent: ${kind}.`,
  };
}
