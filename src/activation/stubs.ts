import type * as vscode from 'vscode';
import type { DashboardPages, Pages } from './pageStubs.ts';
import type { Tools } from './toolsStub.ts';
import type { TreeStub } from './treeStub.ts';

/** The tree views, by their ids. */
export type Trees = ReadonlyMap<string, TreeStub>;

/** What `dist/extension.cjs` registered in one turn. */
export interface ActivationStubs {
  readonly trees: Trees;
  readonly statusItem: vscode.StatusBarItem;
  /** Has the editor's MCP client ask for the tools again. */
  readonly toolsChanged: () => void;
  /** A host runs already: it may have turns that wait for this person, although no view of ours is in sight. */
  readonly hasHost: boolean;
}

/** What `dist/window.cjs` returns. The stubs pass everything on to it. */
export interface OpenedWindow {
  readonly pages: Pages;
  readonly dashboard: DashboardPages;
  readonly tools: Tools;
  readonly files: Pick<vscode.FileSystemProvider, 'stat' | 'readFile'>;
  /** Runs a command that `package.json` contributes. */
  runCommand(id: string, args: readonly unknown[]): unknown;
  /** Starts the host unless it runs. Does nothing in a folder that is not trusted. */
  need(): void;
}

export interface WindowModule {
  openWindow(context: vscode.ExtensionContext, parts: ActivationStubs): OpenedWindow;
}
