import type { Localizer } from '../platform/localizer.ts';
import type { RemoteState } from './remoteHost.ts';

/** What stands beside a host's name in the tree. */
export function stateWords(l10n: Localizer, state: RemoteState): string {
  switch (state.kind) {
    case 'stopped':
      return l10n.t('not attached');
    case 'connecting':
      return l10n.t('connecting…');
    case 'attached':
      return l10n.t('attached');
    case 'lost':
      return l10n.t('disconnected, reconnecting…');
    case 'tokenMissing':
      return l10n.t('token required');
    case 'tokenRefused':
      return l10n.t('token rejected');
  }
}

/** Why there is no connection and what to do, as a row: `undefined` while nothing is wrong. */
export interface ProblemRow {
  readonly label: string;
  readonly detail: string;
  /** Which button helps. */
  readonly help: 'token' | 'retry';
}

export function problemRow(l10n: Localizer, address: string, state: RemoteState): ProblemRow | undefined {
  switch (state.kind) {
    case 'tokenMissing':
      return {
        label: l10n.t('Enter the token for this host'),
        detail: l10n.t(
          '{0} requires a token. The token is in the file specified by --token-file on that machine.',
          address,
        ),
        help: 'token',
      };
    case 'tokenRefused':
      return {
        label: l10n.t('The token was rejected'),
        detail: l10n.t(
          '{0} did not accept the token. Enter the token from the file specified by --token-file on that machine.',
          address,
        ),
        help: 'token',
      };
    case 'lost':
      return {
        label: l10n.t('Not connected. Reconnecting in {0} s', Math.max(1, Math.round(state.waitMs / 1000))),
        detail: troubleWords(l10n, address, state.trouble),
        help: 'retry',
      };
    default:
      return undefined;
  }
}

/** A whole sentence for who asked the host for something. */
export function whyNot(l10n: Localizer, name: string, address: string, state: RemoteState): string {
  const problem = problemRow(l10n, address, state);
  return problem
    ? l10n.t('Not connected to {0}. {1}', name, problem.detail)
    : l10n.t('This window is not attached to {0}. Attach it with "Switchboard: Attach to Host…".', name);
}

function troubleWords(l10n: Localizer, address: string, { kind, detail }: LostState['trouble']): string {
  switch (kind) {
    case 'silent':
      return l10n.t('{0} is not responding ({1}). Check that "switchboard serve" is running there.', address, detail);
    case 'untrusted':
      return l10n.t(
        "This machine does not trust the certificate for {0} ({1}). Add its certificate authority to this machine's trusted authorities, or set NODE_EXTRA_CA_CERTS to the path of the authority's certificate file. Then restart VS Code.",
        address,
        detail,
      );
    case 'unfit':
      return l10n.t(
        'The certificate for {0} has expired or was issued for a different name ({1}). Install a valid certificate for this name, or use a name that the certificate covers.',
        address,
        detail,
      );
    case 'name':
      return l10n.t(
        'The server at {0} does not accept this hostname. Start "switchboard serve" with --allow-host set to this name.',
        address,
      );
    case 'full':
      return l10n.t(
        'The server at {0} has reached its client limit. Detach another client, or raise the limit.',
        address,
      );
    case 'other':
      return l10n.t('{0} is not a Switchboard host ({1}). Check the address and its path.', address, detail);
    case 'said':
      return l10n.t(
        'The host at {0} refused the connection: {1}. Check that both sides are running the same version of Switchboard.',
        address,
        detail,
      );
    case 'ended':
      return l10n.t(
        'The connection to {0} was closed ({1}). Check that "switchboard serve" is still running there.',
        address,
        detail,
      );
  }
}

type LostState = Extract<RemoteState, { kind: 'lost' }>;

/** What a host is called that nobody named. */
export function plainName(address: string): string {
  return address.replace(/^wss?:\/\//, '');
}
