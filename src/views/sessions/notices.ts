import { SessionProblem } from '../../../sidecar/protocol/channels/session/problem.ts';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { Notice } from '../../../sidecar/protocol/hostInfo.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { fromHost, type Localizer } from '../../platform/localizer.ts';

export type NoticeRowKind =
  | 'settings'
  | 'hostFailed'
  | 'hostStopped'
  | 'otherBuild'
  | 'noFolder'
  | 'severalFolders'
  | 'signInNeeded'
  | 'agentMissing'
  | 'agentGone'
  | 'agentSilent'
  | 'folderGone'
  | 'forgotEarlierTurns'
  | Notice['kind'];

/** One row: what happened (`label`), why and what to do (`detail`), and its one button. */
export interface NoticeRow {
  readonly id: string;
  readonly kind: NoticeRowKind;
  readonly label: string;
  readonly detail: string;
  readonly icon: 'info' | 'warning' | 'error';
  readonly command: string;
  /** The button's words. */
  readonly action: string;
  readonly session?: string;
  /** A folder to open, as a URI. */
  readonly folder?: string;
}

export interface HostFailure {
  readonly reason: string;
  /** The host that runs is newer than this window, and a reload brings the two together. */
  readonly otherBuild: boolean;
}

export interface NoticeInput {
  /** Why the host could not be started, or that a person stopped it, while a list of sessions from before is shown. */
  readonly hostFailure: HostFailure | 'stopped' | undefined;
  readonly host: readonly Notice[];
  readonly sessions: readonly SessionSummary[];
  readonly folders: readonly { readonly name: string }[];
  /** The person chose which folder new sessions work in. */
  readonly hasChosenFolder: boolean;
  /** Sentences of the settings reader. */
  readonly settingProblems: readonly string[];
  /** Some agent takes several folders at once, so there is nothing to choose. */
  readonly takesSeveralFolders: boolean;
}

/** Every unhappy flow that is a matter of the whole window or of a session, most pressing first. */
export function noticeRows(l10n: Localizer, input: NoticeInput): NoticeRow[] {
  return [
    ...(input.hostFailure === undefined
      ? []
      : [input.hostFailure === 'stopped' ? stoppedNotice(l10n) : failureNotice(l10n, input.hostFailure)]),
    ...input.host.map((it) => hostNotice(l10n, it)),
    ...input.settingProblems.map((it, index) => settingsNotice(l10n, it, index)),
    ...input.sessions.flatMap((it) => sessionNotice(l10n, it)),
    ...folderNotices(l10n, input),
  ];
}

function stoppedNotice(l10n: Localizer): NoticeRow {
  return {
    id: 'hostStopped',
    kind: 'hostStopped',
    label: l10n.t('The host is stopped'),
    detail: l10n.t('Agents run in the host. Restart it to continue your sessions.'),
    icon: 'info',
    command: commandIds.restartHost,
    action: l10n.t('Restart Host'),
  };
}

function failureNotice(l10n: Localizer, { reason, otherBuild }: HostFailure): NoticeRow {
  if (otherBuild) {
    return {
      id: 'otherBuild',
      kind: 'otherBuild',
      label: l10n.t('This window and the host are running different builds'),
      detail: reason,
      icon: 'warning',
      command: commandIds.reloadWindow,
      action: l10n.t('Reload Window'),
    };
  }
  return {
    id: 'hostFailed',
    kind: 'hostFailed',
    label: l10n.t('The host could not be started'),
    detail: l10n.t('{0} Your saved sessions are not lost.', reason),
    icon: 'error',
    command: commandIds.restartHost,
    action: l10n.t('Restart Host'),
  };
}

function hostNotice(l10n: Localizer, { id, kind, message, folder }: Notice): NoticeRow {
  const row = { id, kind, detail: fromHost(l10n, message), ...(folder === undefined ? {} : { folder }) };
  switch (kind) {
    case 'databaseSetAside':
      return {
        ...row,
        label: l10n.t('Earlier sessions were moved to a backup'),
        icon: 'warning',
        command: commandIds.openDataFolder,
        action: l10n.t('Open Data Folder'),
      };
    case 'diskFull':
      return {
        ...row,
        label: l10n.t('The disk is full'),
        icon: 'error',
        command: commandIds.openDataFolder,
        action: l10n.t('Open Data Folder'),
      };
    case 'cannotWrite':
    case 'cannotSave': {
      const restarts = kind === 'cannotSave';
      return {
        ...row,
        label: l10n.t('Changes cannot be saved'),
        icon: 'error',
        command: restarts ? commandIds.restartHost : commandIds.openDataFolder,
        action: restarts ? l10n.t('Restart Host') : l10n.t('Open Data Folder'),
      };
    }
    case 'newerBuildWaiting':
      return {
        ...row,
        label: l10n.t('A newer version of Switchboard is ready'),
        icon: 'info',
        command: commandIds.restartHost,
        action: l10n.t('Restart Host'),
      };
  }
}

function settingsNotice(l10n: Localizer, problem: string, index: number): NoticeRow {
  return {
    id: `settings/${index}`,
    kind: 'settings',
    label: l10n.t('A setting is invalid'),
    detail: problem,
    icon: 'warning',
    command: commandIds.configureAgents,
    action: l10n.t('Configure Agents…'),
  };
}

function sessionNotice(l10n: Localizer, { resource, title, _meta }: SessionSummary): NoticeRow[] {
  const parsed = SessionProblem.safeParse(_meta?.['problem']);
  if (!parsed.success) return [];
  const { kind, message } = parsed.data;
  const row = { id: `${kind}/${resource}`, kind, session: resource };
  switch (kind) {
    case 'signInNeeded':
      return [
        {
          ...row,
          label: l10n.t('Sign in to continue "{0}"', title),
          detail:
            (message && fromHost(l10n, message)) ??
            l10n.t('The agent needs you to sign in. Its own sign-in process opens in a terminal.'),
          icon: 'warning',
          command: commandIds.signIn,
          action: l10n.t('Sign In…'),
        },
      ];
    case 'agentSilent':
      return [
        {
          ...row,
          label: l10n.t('The agent for "{0}" is not responding', title),
          detail:
            (message && fromHost(l10n, message)) ??
            l10n.t('It has not responded for a while but may still be working. You can stop it.'),
          icon: 'warning',
          command: commandIds.stopTurn,
          action: l10n.t('Stop'),
        },
      ];
    case 'agentMissing':
      return [
        {
          ...row,
          label: l10n.t('The agent for "{0}" was not found', title),
          detail:
            (message && fromHost(l10n, message)) ??
            l10n.t("The agent's command is not on the PATH. Install it or correct the setting."),
          icon: 'warning',
          command: commandIds.configureAgents,
          action: l10n.t('Configure Agents…'),
        },
      ];
    case 'agentGone':
      return [
        {
          ...row,
          label: l10n.t('The agent for "{0}" was not found', title),
          detail: message ?? l10n.t('It was removed. Install it again, or start a new session with another agent.'),
          icon: 'warning',
          command: commandIds.addRegistryAgent,
          action: l10n.t('Add Agent…'),
        },
      ];
    case 'folderGone':
      return [
        {
          ...row,
          label: l10n.t('The folder for "{0}" no longer exists', title),
          detail:
            (message && fromHost(l10n, message)) ??
            l10n.t('It was renamed, moved, or deleted. Start a new session in another folder.'),
          icon: 'warning',
          command: commandIds.newSession,
          action: l10n.t('New Session'),
        },
      ];
    case 'forgotEarlierTurns':
      return [
        {
          ...row,
          label: l10n.t('The agent for "{0}" lost its history', title),
          detail:
            (message && fromHost(l10n, message)) ??
            l10n.t('The agent was restarted without its history. You can attach the transcript.'),
          icon: 'info',
          command: commandIds.attachTranscript,
          action: l10n.t('Attach Transcript'),
        },
      ];
  }
}

function folderNotices(l10n: Localizer, input: NoticeInput): NoticeRow[] {
  const [first] = input.folders;
  if (first === undefined) {
    // Without sessions the empty view says it, with a button of its own.
    if (input.sessions.length === 0) return [];
    return [
      {
        id: 'noFolder',
        kind: 'noFolder',
        label: l10n.t('No folder is open'),
        detail: l10n.t('Agents work in a folder. Open a folder to start a session.'),
        icon: 'info',
        command: commandIds.openFolder,
        action: l10n.t('Open Folder…'),
      },
    ];
  }
  if (input.folders.length === 1 || input.hasChosenFolder || input.takesSeveralFolders) return [];
  return [
    {
      id: 'severalFolders',
      kind: 'severalFolders',
      label: l10n.t('{0} folders are open', input.folders.length),
      detail: l10n.t('New sessions use "{0}". You can choose another folder.', first.name),
      icon: 'info',
      command: commandIds.chooseFolder,
      action: l10n.t('Choose Folder for New Sessions…'),
    },
  ];
}
