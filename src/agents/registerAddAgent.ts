import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { loadBundle } from '../platform/loadBundle.ts';
import type { AddAgentDeps, AddAgentModule } from './addAgentModule.ts';

/** The command, whose code is loaded when it is used. @param bundle its path */
export function registerAddAgent(
  bundle: string,
  port: AddAgentDeps['port'],
  newChat: AddAgentDeps['newChat'],
): vscode.Disposable {
  const deps = { port, newChat, newId: () => crypto.randomUUID() };
  return onCommand(commandIds.addRegistryAgent, (then: unknown) => {
    if (!vscode.workspace.isTrusted) return vscode.commands.executeCommand(commandIds.manageTrust);
    return loadBundle<AddAgentModule>(bundle, 'addAgent').addAgent({ ...deps, opensChat: then === 'newChat' });
  });
}
