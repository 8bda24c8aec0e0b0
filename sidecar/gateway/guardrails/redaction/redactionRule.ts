import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import type { RedactionAction } from '../../../protocol/gateway/guardrails/redaction.ts';
import type { Rule } from '../call.ts';
import type { Finder } from './finder.ts';
import { piiFinders } from './pii.ts';
import type { Search } from './redactText.ts';
import { secretFinders } from './secrets.ts';
import { textRule } from './textRule.ts';

/** Takes secrets or personal data out of arguments, or refuses the call for them. */
export function redactionRule(name: string, params: GuardrailParams<'secret_redaction' | 'pii_redaction'>): Rule {
  const { action, rules, max_characters } = params;
  return params.guardrail === 'pii_redaction'
    ? textRule(name, searchesFor(piiFinders, action, { ipv4: 'off', ...rules }), max_characters, 'blocked_pii_entity')
    : textRule(name, searchesFor(secretFinders, action, rules), max_characters);
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
