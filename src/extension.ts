import { access } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { registerCommandStubs } from './activation/commandStubs.ts';
import { onConfigFile } from './activation/configTrigger.ts';
import { contributedBy } from './activation/contributed.ts';
import { FileSystemStub } from './activation/fileSystemStub.ts';
import { registerPageStubs } from './activation/pageStubs.ts';
import type { OpenedWindow, WindowModule } from './activation/stubs.ts';
import { ToolsStub } from './activation/toolsStub.ts';
import { TreeStub } from './activation/treeStub.ts';
import { CONTENT_SCHEME } from './client/contentUris.ts';
import { viewIds } from './manifest/manifest.ts';

/**
 * Registers the activation stubs and nothing else. A window that nobody uses us in loads no more than this; the first look at a
 * view, command, chat page, stored file or running host opens the rest.
 */
export function activate(context: vscode.ExtensionContext): void {
  const contributed = contributedBy(context.extension.packageJSON);
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
  const trees = new Map(contributed.trees.map((it) => [it.id, new TreeStub(it, wake)]));
  const tools = new ToolsStub(wake);
  const commands = registerCommandStubs(contributed.commands, wake);
  const statusItem = vscode.window.createStatusBarItem('switchboard.status', vscode.StatusBarAlignment.Left, 10);
  statusItem.name = 'Switchboard';
  statusItem.text = '$(circuit-board) Switchboard';
  statusItem.command = `${viewIds.inbox}.focus`;
  statusItem.show();
  context.subscriptions.push(
    ...trees.values(),
    commands,
    tools,
    statusItem,
    registerPageStubs(wake),
    onConfigFile(wake),
    vscode.workspace.registerFileSystemProvider(CONTENT_SCHEME, new FileSystemStub(() => wake().files), {
      isReadonly: true,
      isCaseSensitive: true,
    }),
  );
  access(join(context.globalStorageUri.fsPath, 'host.json'), (missing) => {
    hasHost = missing === null;
    if (hasHost) wake();
  });
}

/** The second bundle, which holds all but the activation stubs. */
function loadWindow(extensionPath: string): WindowModule {
  const bundle = join(extensionPath, 'dist', 'window.cjs');
  return createRequire(bundle)(bundle) as WindowModule;
}
