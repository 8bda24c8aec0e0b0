import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { WindowInfo } from '../../sidecar/protocol/window.ts';
import { settingIds } from '../manifest/manifest.ts';
import { ripgrepOf } from '../platform/ripgrep.ts';
import { strippedEnvironment } from './environment.ts';
import { FollowedEditorModels } from './followedEditorModels.ts';
import {
  type BudgetName,
  budgetIds,
  budgetNames,
  type LimitName,
  limitNames,
  parseSettings,
  type ReadSettings,
  type RunLimitName,
  runLimitIds,
  runLimitNames,
  type Settings,
} from './settings.ts';

/** What belongs to this window: trust, folders, environment, settings, and the editor's models. Read when asked, never cached over a change. */
export class WindowConfig implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires after trust, the open folders, a setting of ours, or the models that agents may use changed. */
  readonly onDidChange = this.#changed.event;
  readonly #env: Readonly<Record<string, string>>;
  readonly #stop: vscode.Disposable;
  readonly #models: FollowedEditorModels;
  readonly #ripgrep = ripgrepOf(vscode.env.appRoot);
  #read: ReadSettings;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = strippedEnvironment(env);
    this.#read = readSettings();
    const changed = () => {
      this.#read = readSettings();
      this.#models.look();
      this.#changed.fire();
    };
    this.#models = new FollowedEditorModels({
      isWanted: () => this.settings.editorModels,
      changed: () => this.#changed.fire(),
    });
    this.#stop = vscode.Disposable.from(
      this.#models,
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
      vscode.workspace.onDidChangeWorkspaceFolders(changed),
      vscode.workspace.onDidChangeConfiguration((it) => {
        if (it.affectsConfiguration('switchboard')) changed();
      }),
    );
  }

  get trusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  get settings(): Settings {
    return this.#read.settings;
  }

  get problems(): readonly string[] {
    return this.#read.problems;
  }

  windowInfo(): WindowInfo {
    const { agents, rules, idleExitMinutes, durability, gatewayEnabled, sessionTools, agentRegistry } = this.settings;
    const { agentModels, budgets, runLimits, sandbox, linkedFolders, setUpCommand } = this.settings;
    return {
      trusted: this.trusted,
      folders: (vscode.workspace.workspaceFolders ?? []).map((it) => it.uri.toString()),
      env: { ...this.#env },
      ...(this.#ripgrep !== undefined && { ripgrep: this.#ripgrep }),
      agents: [...agents],
      rules: [...rules],
      idleExitMinutes,
      durability,
      sessionTools: gatewayEnabled && sessionTools,
      agentModels,
      ...(this.#models.all.length > 0 && { editorModels: [...this.#models.all] }),
      budgets,
      runLimits,
      sandbox,
      linkedFolders: [...linkedFolders],
      ...(setUpCommand !== '' && { setUpCommand }),
      ...(agentRegistry !== undefined && { agentRegistry }),
      runbooks: vscode.Uri.file(join(homedir(), '.switchboard', 'runbooks')).toString(),
    };
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }
}

function readSettings(): ReadSettings {
  const all = vscode.workspace.getConfiguration();
  const rules = all.inspect(settingIds.permissionRules);
  const sandbox = all.inspect(settingIds.sandbox);
  return parseSettings({
    agents: all.get(settingIds.agents),
    userRules: rules?.globalValue,
    workspaceRules: joined(rules?.workspaceValue, rules?.workspaceFolderValue),
    userSandbox: sandbox?.globalValue,
    workspaceSandbox: [sandbox?.workspaceValue, sandbox?.workspaceFolderValue].find(
      (it) => it !== undefined && it !== 'off',
    ),
    linkedFolders: all.get(settingIds.linkedFolders),
    setUpCommand: all.get(settingIds.setUpCommand),
    idleExitMinutes: all.get(settingIds.idleExitMinutes),
    durability: all.get(settingIds.durability),
    publicPort: all.get(settingIds.publicPort),
    remoteHosts: all.get(settingIds.remoteHosts),
    chatLocation: all.get(settingIds.chatLocation),
    inputNeeded: all.get(settingIds.inputNeeded),
    finished: all.get(settingIds.finished),
    systemNotifications: all.get(settingIds.systemNotifications),
    quietHours: all.get(settingIds.quietHours),
    limits: Object.fromEntries(limitNames.map((it) => [it, all.get(settingIds[it])])) as Record<LimitName, unknown>,
    gatewayEnabled: all.get(settingIds.gatewayEnabled),
    sessionTools: all.get(settingIds.sessionTools),
    agentModels: all.get(settingIds.agentModels),
    editorModels: all.get(settingIds.editorModels),
    budgets: Object.fromEntries(budgetNames.map((it) => [it, all.get(budgetIds[it])])) as Record<BudgetName, unknown>,
    runLimits: Object.fromEntries(runLimitNames.map((it) => [it, all.get(runLimitIds[it])])) as Record<
      RunLimitName,
      unknown
    >,
    allowedCommands: all.get(settingIds.allowedCommands),
    agentRegistry: all.get(settingIds.agentRegistry),
  });
}

function joined(workspace: unknown, folder: unknown): unknown {
  if (workspace === undefined) return folder;
  if (folder === undefined) return workspace;
  return Array.isArray(workspace) && Array.isArray(folder) ? [...workspace, ...folder] : workspace;
}
