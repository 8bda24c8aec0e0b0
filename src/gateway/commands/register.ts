import * as vscode from 'vscode';
import { commandIds } from '../../manifest/manifest.ts';
import { onCommand } from '../../platform/commandHandlers.ts';
import type { GatewayActions } from './actions.ts';

/** The code of each command is in `dist/gateway.cjs` under the same name. */
const ids = {
  addServer: commandIds.addServer,
  importServers: commandIds.importServers,
  editServer: commandIds.editServer,
  removeServer: commandIds.removeServer,
  signInToServer: commandIds.signInToServer,
  testTool: commandIds.testTool,
  connectModel: commandIds.connectModel,
  addAgent: commandIds.addAgent,
  removeAgent: commandIds.removeAgent,
  newKey: commandIds.newKey,
  rotateKey: commandIds.rotateKey,
  revokeKey: commandIds.revokeKey,
  copyKey: commandIds.copyKey,
  copyEndpoint: commandIds.copyEndpoint,
  explainAccess: commandIds.explainAccess,
  openGatewayConfiguration: commandIds.openGatewayConfiguration,
  openOwnGatewayConfiguration: commandIds.openOwnGatewayConfiguration,
};
type Name = keyof typeof ids;

type Run = (actions: GatewayActions, argument: unknown) => unknown;

export type GatewayCommands = Readonly<Record<Name, Run>>;

/**
 * What can be done about the gateway, from its rows and from the palette.
 * @param load loads the code of the commands
 */
export function registerGatewayCommands(actions: GatewayActions, load: () => GatewayCommands): vscode.Disposable {
  // A command can be run by its id, whatever its `enablement` says.
  const on = (id: string, run: Run) =>
    onCommand(id, (argument: unknown) => (vscode.workspace.isTrusted ? run(actions, argument) : askForTrust()));
  return vscode.Disposable.from(
    on(commandIds.refreshGateway, ({ model }) => model.refresh()),
    on(commandIds.openDashboard, ({ openDashboard }) => openDashboard()),
    ...(Object.keys(ids) as Name[]).map((name) => on(ids[name], (_, argument) => load()[name](actions, argument))),
  );
}

async function askForTrust(): Promise<void> {
  const { l10n } = vscode;
  const trust = l10n.t('Trust this folder to run agents');
  const text = l10n.t(
    'The gateway does not start programs in an untrusted folder. Trust the folder, and then try again.',
  );
  if ((await vscode.window.showWarningMessage(text, trust)) === trust)
    await vscode.commands.executeCommand(commandIds.manageTrust);
}
