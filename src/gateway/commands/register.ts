import * as vscode from 'vscode';
import { commandIds } from '../../manifest/manifest.ts';
import type { GatewayActions } from './actions.ts';
import { addServer } from './addServer.ts';
import { addAgent, removeAgent } from './agents.ts';
import { openConfiguration, openOwnConfiguration } from './configuration.ts';
import { explainAccess } from './explainAccess.ts';
import { importServers } from './importServers.ts';
import { copyKey, newKey, revokeKey, rotateKey } from './keys.ts';
import { copyEndpoint, editServer, removeServer, signIn } from './servers.ts';
import { testTool } from './testTool.ts';

/** What can be done about the gateway, from its rows and from the palette. */
export function registerGatewayCommands(actions: GatewayActions): vscode.Disposable {
  // A command can be run by its id, whatever its `enablement` says.
  const on = (id: string, run: (actions: GatewayActions, argument: unknown) => unknown) =>
    vscode.commands.registerCommand(id, (argument: unknown) =>
      vscode.workspace.isTrusted ? run(actions, argument) : askForTrust(),
    );
  return vscode.Disposable.from(
    on(commandIds.refreshGateway, ({ model }) => model.refresh()),
    on(commandIds.addServer, addServer),
    on(commandIds.importServers, importServers),
    on(commandIds.editServer, editServer),
    on(commandIds.removeServer, removeServer),
    on(commandIds.signInToServer, signIn),
    on(commandIds.testTool, testTool),
    on(commandIds.addAgent, addAgent),
    on(commandIds.removeAgent, removeAgent),
    on(commandIds.newKey, newKey),
    on(commandIds.rotateKey, rotateKey),
    on(commandIds.revokeKey, revokeKey),
    on(commandIds.copyKey, copyKey),
    on(commandIds.copyEndpoint, copyEndpoint),
    on(commandIds.explainAccess, explainAccess),
    on(commandIds.openGatewayConfiguration, openConfiguration),
    on(commandIds.openOwnGatewayConfiguration, openOwnConfiguration),
    on(commandIds.openDashboard, ({ openDashboard }) => openDashboard()),
  );
}

async function askForTrust(): Promise<void> {
  const { l10n } = vscode;
  const manage = l10n.t('Manage Trust');
  const text = l10n.t(
    'The gateway does not start programs in an untrusted folder. Trust the folder, and then try again.',
  );
  if ((await vscode.window.showWarningMessage(text, manage)) === manage)
    await vscode.commands.executeCommand(commandIds.manageTrust);
}
