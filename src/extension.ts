import { access } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { CONTENT_SCHEME } from './client/contentUris.ts';
import { commandIds, viewIds } from './manifest/manifest.ts';
import { registerWaitingCommands } from './waiting/waitingCommands.ts';
import { awaitConfig } from './waiting/waitingConfig.ts';
import { WaitingFiles } from './waiting/waitingFiles.ts';
import { registerWaitingPages } from './waiting/waitingPages.ts';
import type { OpenedWindow, WindowModule } from './waiting/waitingParts.ts';
import { WaitingTools } from './waiting/waitingTools.ts';
import { WaitingTree } from './waiting/waitingTree.ts';

/**
 * Registers every way in and nothing else. A window that nobody uses us in loads no more than this; the first look at a
 * view, command, chat page, stored file or running host opens the rest.
 */
export function activate(context: vscode.ExtensionContext): void {
  let opened: OpenedWindow | undefined;
  let hasHost = false;
  const wake = (): OpenedWindow => {
    if (opened) return opened;
    commands.dispose();
    opened = loadWindow(context.extensionPath).openWindow(context, {
      trees,
      statusItem,
      hasHost,
      toolsChanged: tools.changed,
    });
    return opened;
  };
  const trees = {
    sessions: new WaitingTree(viewIds.sessions, true, wake),
    inbox: new WaitingTree(viewIds.inbox, false, wake),
    changes: new WaitingTree(viewIds.changes, true, wake),
    customizations: new WaitingTree(viewIds.customizations, true, wake),
    gateway: new WaitingTree(viewIds.gateway, true, wake),
  };
  const tools = new WaitingTools(wake);
  const commands = registerWaitingCommands(Object.values(commandIds), wake);
  const statusItem = vscode.window.createStatusBarItem('switchboard.status', vscode.StatusBarAlignment.Left, 10);
  statusItem.name = 'Switchboard';
  statusItem.text = '$(circuit-board) Switchboard';
  statusItem.command = `${viewIds.inbox}.focus`;
  statusItem.show();
  context.subscriptions.push(
    ...Object.values(trees),
    commands,
    tools,
    statusItem,
    registerWaitingPages(wake),
    awaitConfig(wake),
    vscode.workspace.registerFileSystemProvider(CONTENT_SCHEME, new WaitingFiles(() => wake().files), {
      isReadonly: true,
      isCaseSensitive: true,
    }),
  );
  access(join(context.globalStorageUri.fsPath, 'host.json'), (missing) => {
    hasHost = missing === null;
    if (hasHost) wake();
  });
}

/** The second bundle, which holds all but the ways in. */
function loadWindow(extensionPath: string): WindowModule {
  const bundle = join(extensionPath, 'dist', 'window.cjs');
  return createRequire(bundle)(bundle) as WindowModule;
}
