import * as vscode from 'vscode';
import { errorCodes } from '../../sidecar/protocol/errors.ts';
import type { ProcessInfo } from '../../sidecar/protocol/hostInfo.ts';
import { errorCodeOf } from '../client/connection.ts';
import type { HostPort } from '../client/port.ts';
import { commandIds, settingIds } from '../manifest/manifest.ts';
import { shortAge } from '../platform/ages.ts';
import { nowMs } from '../platform/clock.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { configureHost } from './configForms.ts';

export interface HostCommandsDeps {
  readonly port: HostPort;
  readonly isRunning: () => boolean;
  /** Starts the relay of this window afresh. */
  readonly reconnect: () => Promise<void>;
  /** Ends the relay of this window and starts none until something needs it. */
  readonly disconnect: () => Promise<void>;
  readonly showLog: () => void;
  /** Where the host keeps its data. */
  readonly dataDir: vscode.Uri;
}

export function registerHostCommands(deps: HostCommandsDeps): vscode.Disposable {
  return vscode.Disposable.from(
    onCommand(commandIds.showProcesses, () => showProcesses(deps)),
    onCommand(commandIds.configureHost, () => configureHost(deps.port)),
    onCommand(commandIds.restartHost, () => restart(deps)),
    onCommand(commandIds.stopHost, () => stop(deps)),
    onCommand(commandIds.showLog, () => deps.showLog()),
    onCommand(commandIds.openDataFolder, (row: unknown) => openFolder(folderIn(row) ?? deps.dataDir)),
    onCommand(commandIds.configureAgents, () => openMachineSetting(settingIds.agents)),
    onCommand(commandIds.reloadWindow, () => vscode.commands.executeCommand('workbench.action.reloadWindow')),
  );
}

/** A setting of the machine is not among the user's where the extension runs on another machine. */
function openMachineSetting(id: string): Thenable<unknown> {
  const isLocal = vscode.env.remoteName === undefined;
  const command = isLocal ? 'workbench.action.openSettings' : 'workbench.action.openRemoteSettings';
  return vscode.commands.executeCommand(command, isLocal ? id : { query: id });
}

/** In the system's file manager; where the files are on another machine, in VS Code's own dialog, which reads them there. */
async function openFolder(folder: vscode.Uri): Promise<void> {
  if (vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop) {
    await vscode.commands.executeCommand('revealFileInOS', folder);
    return;
  }
  const [picked] = (await vscode.window.showOpenDialog({ defaultUri: folder, openLabel: vscode.l10n.t('Open') })) ?? [];
  if (picked) await vscode.commands.executeCommand('vscode.open', picked);
}

async function restart(deps: HostCommandsDeps): Promise<void> {
  if (deps.isRunning() && !(await askHostToStop(deps, true))) return;
  await deps.reconnect();
}

async function stop(deps: HostCommandsDeps): Promise<void> {
  if (deps.isRunning() && !(await askHostToStop(deps, false))) return;
  await deps.disconnect();
}

/** Other windows and running turns use the same host, so a busy one is stopped only when the person says so. */
async function askHostToStop({ port }: HostCommandsDeps, isRestart: boolean): Promise<boolean> {
  try {
    await port.request('x-switchboard/stopHost', { restart: isRestart });
    return true;
  } catch (error) {
    if (errorCodeOf(error) !== errorCodes.TurnInProgress) throw error;
  }
  const go = isRestart ? vscode.l10n.t('Restart Anyway') : vscode.l10n.t('Stop Anyway');
  const picked = await vscode.window.showWarningMessage(
    vscode.l10n.t('An agent is working.'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'If you continue, its current turn will fail. Everything it has written so far will be kept.',
      ),
    },
    go,
  );
  if (picked !== go) return false;
  await port.request('x-switchboard/stopHost', { restart: isRestart, force: true });
  return true;
}

async function showProcesses({ port }: HostCommandsDeps): Promise<void> {
  const { items, build } = await port.request('x-switchboard/processes', {});
  const now = nowMs();
  await vscode.window.showQuickPick(
    items.map((it) => toPick(it, now)),
    {
      title: vscode.l10n.t('Host Processes'),
      placeHolder: vscode.l10n.t('Host {0}, built {1}', build.version, new Date(build.builtAtMs).toLocaleString()),
      matchOnDescription: true,
      ignoreFocusOut: true,
    },
  );
}

function toPick({ pid, role, title, startedAt, memoryBytes }: ProcessInfo, now: number): vscode.QuickPickItem {
  const icon = { host: 'server-process', agent: 'hubot', tool: 'terminal' }[role];
  const memory = memoryBytes === undefined ? [] : [vscode.l10n.t('{0} MB', Math.round(memoryBytes / 1048576))];
  return {
    label: `$(${icon}) ${title}`,
    description: [vscode.l10n.t('PID {0}', pid), ...memory, shortAge(vscode.l10n, startedAt, now)].join(' · '),
  };
}

function folderIn(argument: unknown): vscode.Uri | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  if ('row' in argument) return folderIn(argument.row);
  return 'folder' in argument && typeof argument.folder === 'string' ? vscode.Uri.parse(argument.folder) : undefined;
}
