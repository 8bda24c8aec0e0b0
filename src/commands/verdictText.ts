import { ruleWords } from '../../sidecar/protocol/rules.ts';
import type { RuleVerdict } from '../../sidecar/protocol/window.ts';
import type { Localizer } from '../platform/localizer.ts';

/** What the host would do, and what decides it, in a sentence or two. */
export function verdictText(l10n: Localizer, { verdict, because, rule }: RuleVerdict): string {
  const does = {
    allow: l10n.t('This would run without asking.'),
    ask: l10n.t('You would be asked.'),
    deny: l10n.t('This would be denied.'),
  }[verdict];
  return `${does} ${rule ? ruleText(l10n, rule) : reasonText(l10n, because)}`;
}

function ruleText(l10n: Localizer, { source, target, pattern, input }: NonNullable<RuleVerdict['rule']>): string {
  const words = ruleWords(target, pattern, input);
  switch (source) {
    case 'user':
      return l10n.t('The rule "{0}" in user settings applies.', words);
    case 'workspace':
      return l10n.t('The rule "{0}" in workspace settings applies.', words);
    case 'granted':
      return l10n.t('The rule "{0}" that you saved applies.', words);
  }
}

function reasonText(l10n: Localizer, because: RuleVerdict['because']): string {
  switch (because) {
    case 'destructive':
      return l10n.t('It can delete data, and no rule allows that.');
    case 'outside':
      return l10n.t('It accesses something outside the workspace, and no rule allows that.');
    case 'protected':
      return l10n.t('It writes a file that VS Code or Git may run, and no rule allows that.');
    case 'unclear':
      return l10n.t('Switchboard cannot tell what it does, and no rule allows that.');
    case 'untrusted':
      return l10n.t('This workspace is not trusted.');
    default:
      return l10n.t('No rule applies to it.');
  }
}
