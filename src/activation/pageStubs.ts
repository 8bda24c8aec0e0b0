import * as vscode from 'vscode';
import { panelTypes, viewIds } from '../manifest/manifest.ts';

/** What draws the chat page, in an editor panel or in the side bar. */
export interface Pages {
  restorePanel(panel: vscode.WebviewPanel, state: unknown): void;
  resolveView(view: vscode.WebviewView, state: unknown): void;
}

/** What draws the gateway's dashboard. */
export interface DashboardPages {
  restore(panel: vscode.WebviewPanel, state: unknown): void;
}

/** Pages of an earlier session are restored by VS Code; the first one fetches what draws them. */
export function registerPageStubs(
  wake: () => { readonly pages: Pages; readonly dashboard: DashboardPages },
): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(viewIds.chat, {
      deserializeWebviewPanel: async (panel, state) => wake().pages.restorePanel(panel, state),
    }),
    vscode.window.registerWebviewPanelSerializer(panelTypes.dashboard, {
      deserializeWebviewPanel: async (panel, state) => wake().dashboard.restore(panel, state),
    }),
    vscode.window.registerWebviewViewProvider(viewIds.chat, {
      resolveWebviewView: (view, { state }) => wake().pages.resolveView(view, state),
    }),
  );
}
