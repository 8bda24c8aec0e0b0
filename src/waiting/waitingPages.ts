import * as vscode from 'vscode';
import { viewIds } from '../manifest/manifest.ts';

/** What draws the chat page, in an editor panel or in the side bar. */
export interface Pages {
  restorePanel(panel: vscode.WebviewPanel, state: unknown): void;
  resolveView(view: vscode.WebviewView, state: unknown): void;
}

/** Chat pages of an earlier session are restored by VS Code; the first one fetches what draws them. */
export function registerWaitingPages(wake: () => { readonly pages: Pages }): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(viewIds.chat, {
      deserializeWebviewPanel: async (panel, state) => wake().pages.restorePanel(panel, state),
    }),
    vscode.window.registerWebviewViewProvider(viewIds.chat, {
      resolveWebviewView: (view, { state }) => wake().pages.resolveView(view, state),
    }),
  );
}
