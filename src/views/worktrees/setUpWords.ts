import type { SetUp } from '../../../sidecar/protocol/channels/session/setUp.ts';
import { fromHost, type Localizer } from '../../platform/localizer.ts';

/** How the set-up command of a worktree goes, in a few words; empty if there is nothing to say. */
export function setUpText(l10n: Localizer, setUp: SetUp | undefined): string {
  switch (setUp?.state) {
    case undefined:
    case 'passed':
      return '';
    case 'running':
      return l10n.t('being set up');
    case 'failed':
      return l10n.t('set-up failed');
    case 'interrupted':
      return l10n.t('set-up was interrupted');
  }
}

/** For a tooltip: the command and what it printed, unless it succeeded. */
export function setUpLines(l10n: Localizer, setUp: SetUp | undefined): string[] {
  if (!setUp || setUp.state === 'passed') return [];
  const { command, output = '' } = setUp;
  return ['', l10n.t('Set-up: {0}', command), ...(output === '' ? [] : [fromHost(l10n, output)])];
}
