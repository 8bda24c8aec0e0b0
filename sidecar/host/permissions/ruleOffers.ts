import type { ProposedRule } from './facts.ts';

export type RuleScope = 'session' | 'workspace' | 'always';

/** A wider answer than once: what it saves, and for how long. */
export interface RuleOffer {
  /** `allow-<scope>` for the usual rule, `allow-<scope>:<n>` for the n-th of the others. */
  readonly option: string;
  readonly scope: RuleScope;
  readonly rule: ProposedRule;
}

/**
 * The wider answers that a person may give. "In this workspace" means the one folder of the session, so a session of several
 * has none.
 */
export function ruleOffers(proposals: readonly ProposedRule[], folders: readonly string[]): readonly RuleOffer[] {
  return proposals.flatMap((rule, n) => {
    const scopes: RuleScope[] = ['session'];
    if (rule.widest === 'always') scopes.push(...(folders.length === 1 ? (['workspace'] as const) : []), 'always');
    return scopes.map((scope) => ({ option: n === 0 ? `allow-${scope}` : `allow-${scope}:${n}`, scope, rule }));
  });
}
