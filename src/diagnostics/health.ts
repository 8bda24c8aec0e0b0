import type { Build, Notice } from '../../sidecar/protocol/hostInfo.ts';
import { commandIds, settingIds } from '../manifest/manifest.ts';
import type { Localizer } from '../platform/localizer.ts';

/** What is known of the parts of Switchboard, as of now. */
export interface HealthFacts {
  readonly isTrusted: boolean;
  readonly host: { readonly kind: 'stopped' | 'starting' | 'running' | 'failed'; readonly reason?: string };
  readonly gateway:
    | { readonly kind: 'off' }
    | { readonly kind: 'unused' }
    | { readonly kind: 'failed'; readonly reason: string }
    | { readonly kind: 'running'; readonly servers: number; readonly unhealthy: number };
  /** Names for people. */
  readonly agents: readonly string[];
  readonly notices: readonly Notice[];
  readonly freeBytes: number | undefined;
  readonly databaseBytes: number | undefined;
  readonly build: Build;
  /** Absent while there is no connection. */
  readonly hostBuild: Build | undefined;
}

/** One part, its state, and what helps. */
export interface HealthRow {
  readonly isWell: boolean;
  readonly part: string;
  readonly state: string;
  readonly help: { readonly label: string; readonly command: string; readonly args: readonly unknown[] };
}

const MEGABYTE = 1_048_576;
/** With less than this a session may fill the disk. */
const LOW_BYTES = 500 * MEGABYTE;

export function healthRows(facts: HealthFacts, l10n: Localizer): readonly HealthRow[] {
  return [
    host(facts, l10n),
    gateway(facts, l10n),
    agents(facts, l10n),
    disk(facts, l10n),
    database(facts, l10n),
  ].concat(versions(facts, l10n));
}

function host({ host: { kind, reason }, isTrusted }: HealthFacts, l10n: Localizer): HealthRow {
  const part = l10n.t('Host');
  const restart = help(l10n.t('Restart Host'), commandIds.restartHost);
  if (!isTrusted)
    return {
      isWell: false,
      part,
      state: l10n.t('Not started, because this folder is not trusted'),
      help: help(l10n.t('Manage Workspace Trust'), commandIds.manageTrust),
    };
  if (kind === 'running')
    return {
      isWell: true,
      part,
      state: l10n.t('Running'),
      help: help(l10n.t('Show Host Processes'), commandIds.showProcesses),
    };
  if (kind === 'starting')
    return { isWell: true, part, state: l10n.t('Starting'), help: help(l10n.t('Show Log'), commandIds.showLog) };
  if (kind === 'stopped') return { isWell: false, part, state: l10n.t('Stopped'), help: restart };
  return { isWell: false, part, state: l10n.t('Could not be started: {0}', reason ?? ''), help: restart };
}

function gateway({ gateway: it }: HealthFacts, l10n: Localizer): HealthRow {
  const part = l10n.t('Gateway');
  const open = help(l10n.t('Open Dashboard'), commandIds.openDashboard);
  if (it.kind === 'off')
    return {
      isWell: true,
      part,
      state: l10n.t('Turned off in the settings'),
      help: help(l10n.t('Open Settings'), 'workbench.action.openSettings', settingIds.gatewayEnabled),
    };
  if (it.kind === 'unused') return { isWell: true, part, state: l10n.t('Not yet used in this window'), help: open };
  if (it.kind === 'failed')
    return { isWell: false, part, state: it.reason, help: help(l10n.t('Refresh'), commandIds.refreshGateway) };
  const state =
    it.unhealthy === 0
      ? l10n.t('Running. MCP servers: {0}', it.servers)
      : l10n.t('Running. MCP servers: {0}, with problems: {1}', it.servers, it.unhealthy);
  return { isWell: it.unhealthy === 0, part, state, help: open };
}

function agents({ agents: names, host: { kind } }: HealthFacts, l10n: Localizer): HealthRow {
  const none = kind === 'running' ? l10n.t('No agents found') : l10n.t('Unknown until the host is running');
  return {
    isWell: names.length > 0,
    part: l10n.t('Agents'),
    state: names.length > 0 ? names.join(', ') : none,
    help: help(l10n.t('Configure Agents'), commandIds.configureAgents),
  };
}

function disk({ notices, freeBytes }: HealthFacts, l10n: Localizer): HealthRow {
  const trouble = notices.find((it) => ['diskFull', 'cannotWrite', 'cannotSave'].includes(it.kind));
  const free =
    freeBytes === undefined
      ? l10n.t('Free space is unknown')
      : l10n.t('{0} GB free', (freeBytes / MEGABYTE / 1024).toFixed(1));
  return {
    isWell: !trouble && (freeBytes ?? LOW_BYTES) >= LOW_BYTES,
    part: l10n.t('Disk'),
    state: trouble?.message ?? free,
    help: help(l10n.t('Open Data Folder'), commandIds.openDataFolder),
  };
}

function database({ notices, databaseBytes }: HealthFacts, l10n: Localizer): HealthRow {
  const aside = notices.find((it) => it.kind === 'databaseSetAside');
  const size =
    databaseBytes === undefined ? l10n.t('Not created yet') : l10n.t('{0} MB', (databaseBytes / MEGABYTE).toFixed(1));
  return {
    isWell: !aside,
    part: l10n.t('Database'),
    state: aside?.message ?? size,
    help: help(l10n.t('Open Data Folder'), commandIds.openDataFolder, ...(aside ? [aside] : [])),
  };
}

function versions({ notices, build, hostBuild }: HealthFacts, l10n: Localizer): HealthRow {
  const newer = notices.find((it) => it.kind === 'newerBuildWaiting');
  const isSame = !hostBuild || (hostBuild.version === build.version && hostBuild.builtAtMs === build.builtAtMs);
  const state = hostBuild
    ? l10n.t('Window {0}, host {1}', build.version, hostBuild.version)
    : l10n.t('Window {0}', build.version);
  return {
    isWell: isSame && !newer,
    part: l10n.t('Versions'),
    state: newer?.message ?? (isSame ? state : l10n.t('{0}. The host is running a different build.', state)),
    help: newer
      ? help(l10n.t('Restart Host'), commandIds.restartHost)
      : help(l10n.t('Reload Window'), commandIds.reloadWindow),
  };
}

function help(label: string, command: string, ...args: readonly unknown[]): HealthRow['help'] {
  return { label, command, args };
}
