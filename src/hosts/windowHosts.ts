import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Build } from '../../sidecar/protocol/hostInfo.ts';
import { Attention } from '../client/attention.ts';
import { SessionCatalogue } from '../client/catalogue.ts';
import { Changesets } from '../client/changesets.ts';
import { authorityOf } from '../client/contentUris.ts';
import { Hosts } from '../client/hosts.ts';
import { FollowedRoot } from '../client/rootState.ts';
import { registerHostCommands } from '../commands/hostCommands.ts';
import { registerPublicAddress } from '../commands/publicAddress.ts';
import { strippedEnvironment } from '../config/environment.ts';
import { WindowConfig } from '../config/windowConfig.ts';
import { contextKeys } from '../manifest/manifest.ts';
import { openLog } from '../platform/log.ts';
import { openHostConnection } from '../sidecar/hostConnection.ts';
import { PublicServer } from '../sidecar/publicServer.ts';

/** Put in by esbuild.mjs: the same in every bundle of one build. */
declare const __BUILD__: Build;

/** The hosts of this window and what is known of them: the one of this machine, and those that a person attaches to. */
export function openHosts(context: vscode.ExtensionContext) {
  const log = openLog();
  const warn = (message: string) => log.warn(message);
  const config = new WindowConfig(process.env);
  const dataDir = context.globalStorageUri.fsPath;
  const host = openHostConnection({ config, log, build: __BUILD__, extensionPath: context.extensionPath, dataDir });
  const { client, supervisor } = host;
  const catalogue = new SessionCatalogue(client, warn);
  const attention = new Attention(client, catalogue);
  const root = new FollowedRoot(client);
  const local = { id: '', name: vscode.l10n.t('This machine'), client, catalogue, attention };
  const hosts = new Hosts(local);
  const changesets = new Changesets(hosts, (it) => authorityOf(hosts.of(it).id));
  return { log, warn, config, dataDir, host, client, supervisor, catalogue, attention, root, hosts, changesets };
}

export type Parts = ReturnType<typeof openHosts>;

export function registerHostState({ supervisor, client }: Parts): vscode.Disposable {
  return vscode.Disposable.from(
    supervisor.onDidChangeState(({ kind }) => {
      void vscode.commands.executeCommand('setContext', contextKeys.hostState, kind);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => supervisor.need()),
    client.onDidReject(({ reason }) => {
      vscode.window.setStatusBarMessage(vscode.l10n.t('The host rejected the change: {0}', reason), 5000);
    }),
  );
}

export function wirePublicAddress(
  { config, dataDir, warn }: Parts,
  { extensionPath }: vscode.ExtensionContext,
): vscode.Disposable {
  const server = new PublicServer({
    modulePath: join(extensionPath, 'dist', 'sidecar', 'main.mjs'),
    dataDir,
    env: strippedEnvironment(process.env),
    window: () => ({ agents: config.settings.agents, rules: config.settings.rules }),
  });
  return registerPublicAddress({
    port: () => config.settings.publicPort,
    open: (port) => server.open(port),
    close: () => server.close(),
    isTrusted: () => config.trusted,
    onDidChange: config.onDidChange,
    warn,
  });
}

export function wireHostCommands(
  { client, supervisor, log }: Parts,
  { globalStorageUri }: vscode.ExtensionContext,
): vscode.Disposable {
  return registerHostCommands({
    port: client,
    isRunning: () => supervisor.state.kind === 'running',
    reconnect: () => supervisor.restart(),
    disconnect: () => supervisor.stop(),
    showLog: () => log.show(),
    dataDir: globalStorageUri,
  });
}
