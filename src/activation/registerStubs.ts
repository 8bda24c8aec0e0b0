import { access } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { CONTENT_SCHEME } from '../client/contentUris.ts';
import { viewIds } from '../manifest/manifest.ts';
import { registerCommandStubs } from './commandStubs.ts';
import { onConfigFile } from './configTrigger.ts';
import { type Contributed, contributedBy } from './contributed.ts';
import { FileSystemStub } from './fileSystemStub.ts';
import { registerPageStubs } from './pageStubs.ts';
import type { OpenedWindow, WindowModule } from './stubs.ts';
import { ToolsStub } from './toolsStub.ts';
import { TreeStub } from './treeStub.ts';

/**
 * Registers the activation stubs and nothing else. A window that nobody uses us in loads no more than this; the first look at a
 * view, command, chat page, stored file or running host opens the rest.
 */
export async function registerStubs(context: vscode.ExtensionContext): Promise<void> {
  const { trees, commands } = contributedBy(context.extension.packageJSON);
  const wake = registerParts(context, trees);
  await registerCommandStubs(commands, context.subscriptions, wake);
  context.subscriptions.push(onConfigFile(wake)); // last, because it may open the window at once
}

/** Registers all stubs but the commands in one turn, so that the window finds them whenever it opens. @returns opens the window */
function registerParts(context: vscode.ExtensionContext, views: Contributed['trees']): () => OpenedWindow {
  let opened: OpenedWindow | undefined;
  let hasHost = false;
  let failure: { readonly thrown: unknown } | undefined;
  const wake = (): OpenedWindow => {
    if (failure) throw failure.thrown; // a window that opened only in part cannot be opened again
    try {
      opened ??= loadWindow(context.extensionPath).openWindow(context, {
        trees,
        statusItem,
        hasHost,
        toolsChanged: tools.changed,
      });
      return opened;
    } catch (thrown) {
      failure = { thrown };
      throw thrown;
    }
  };
  const trees = new Map(views.map((it) => [it.id, new TreeStub(it, wake)]));
  const tools = new ToolsStub(wake);
  const statusItem = vscode.window.createStatusBarItem('switchboard.status', vscode.StatusBarAlignment.Left, 10);
  statusItem.name = 'Switchboard';
  statusItem.text = '$(circuit-board) Switchboard';
  statusItem.command = `${viewIds.inbox}.focus`;
  statusItem.show();
  context.subscriptions.push(
    ...trees.values(),
    tools,
    statusItem,
    registerPageStubs(wake),
    vscode.workspace.registerFileSystemProvider(CONTENT_SCHEME, new FileSystemStub(() => wake().files), {
      isReadonly: true,
      isCaseSensitive: true,
    }),
  );
  access(join(context.globalStorageUri.fsPath, 'host.json'), (missing) => {
    hasHost = missing === null;
    if (hasHost) wake();
  });
  return wake;
}

/** The second bundle, which holds all but the activation stubs. */
function loadWindow(extensionPath: string): WindowModule {
  const bundle = join(extensionPath, 'dist', 'window.cjs');
  return createRequire(bundle)(bundle) as WindowModule;
}
