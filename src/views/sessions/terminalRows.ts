import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { TerminalInfo } from '../../../sidecar/protocol/channels/terminal/schema.ts';
import type { Localizer } from '../../platform/localizer.ts';

export interface TerminalsInput {
  readonly terminals: readonly TerminalInfo[];
  readonly sessions: readonly Pick<SessionSummary, 'resource' | 'title'>[];
  /** Of this window. */
  readonly clientId: string;
}

/** How a terminal of the host looks as a row. */
export interface TerminalRow {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  /** Words for `when` clauses: `terminal mine|session|other running|ended`. */
  readonly contextValue: string;
}

export function terminalRow(l10n: Localizer, terminal: TerminalInfo, input: TerminalsInput): TerminalRow {
  const { title, claim, exitCode } = terminal;
  const isEnded = exitCode !== undefined;
  const whose = claim.kind === 'session' ? 'session' : isMine(terminal, input.clientId) ? 'mine' : 'other';
  const holder = {
    mine: () => l10n.t('used here'),
    other: () => l10n.t('in use in another window'),
    session: () => l10n.t('in use by "{0}"', titleOf(terminal, input) || l10n.t('New session')),
  }[whose]();
  return {
    label: title,
    description: [holder, isEnded ? l10n.t('exited with {0}', exitCode) : ''].filter((it) => it !== '').join(' · '),
    icon: isEnded ? 'circle-slash' : 'terminal',
    contextValue: `terminal ${whose} ${isEnded ? 'ended' : 'running'}`,
  };
}

function isMine({ claim }: TerminalInfo, clientId: string): boolean {
  return claim.kind === 'client' && claim.clientId === clientId;
}

function titleOf({ claim }: TerminalInfo, { sessions }: TerminalsInput): string {
  const { session } = claim.kind === 'session' ? claim : { session: '' };
  return sessions.find((it) => it.resource === session)?.title ?? '';
}
