import type { DecisionsResult } from '../../sidecar/protocol/rules.ts';
import { visibleText } from '../../sidecar/protocol/visibleText.ts';
import type { Localizer } from '../platform/localizer.ts';

export type KeptDecision = DecisionsResult['items'][number];

/** Who or what decided, and how. */
export function decisionText(l10n: Localizer, { allowed, by, rule, reason, edited }: KeptDecision): string {
  const words = visibleText(rule ?? '');
  switch (by) {
    case 'person':
      if (!allowed) return reason ? l10n.t('You denied this: {0}', visibleText(reason)) : l10n.t('You denied this');
      if (rule !== undefined) return l10n.t('You allowed this and saved the rule "{0}"', words);
      return edited ? l10n.t('You changed and allowed this') : l10n.t('You allowed this once');
    case 'rule':
      return allowed ? l10n.t('Allowed by the rule "{0}"', words) : l10n.t('Denied by the rule "{0}"', words);
    case 'dial':
      return allowed ? l10n.t('Allowed by "Accept edits"') : l10n.t('Denied by "Read only"');
    case 'hook':
      return l10n.t('Denied by a hook');
    case 'untrusted':
      return l10n.t('Denied because the workspace is not trusted');
    case 'agent':
      return l10n.t('Run by the agent without asking');
  }
}

/** A table for people to read, newest first. */
export function decisionsMarkdown(l10n: Localizer, decisions: readonly KeptDecision[]): string {
  const cell = (text: string) =>
    visibleText(text)
      .replace(/\s*\n\s*/g, ' ⏎ ')
      .replace(/[\\|`*_<>[\]]/g, '\\$&');
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const heads = [l10n.t('Time'), l10n.t('Session'), l10n.t('Request'), l10n.t('Decision')];
  return [
    `# ${l10n.t('Approval History')}`,
    '',
    row(heads),
    row(heads.map(() => '---')),
    ...decisions.map((it) => row([it.at, it.title ?? it.session, it.what, decisionText(l10n, it)].map(cell))),
    '',
  ].join('\n');
}
