import * as vscode from 'vscode';
import { commandIds } from '../../../manifest/manifest.ts';
import { onCommand } from '../../../platform/commandHandlers.ts';
import type { Chats } from '../chatPanels.ts';
import type { Addition } from './attachModule.ts';

/** What the menus of the editor add to the chat that was used last. */
export function registerAttachCommands(chats: Pick<Chats, 'add'>): vscode.Disposable {
  const register = (id: string, additionOf: (...args: readonly unknown[]) => Addition) =>
    onCommand(id, (...args: readonly unknown[]) => chats.add(additionOf(...args)));
  return vscode.Disposable.from(
    register(commandIds.attachResource, (uri, uris) => {
      const meant = (Array.isArray(uris) && uris.length > 0 ? uris : [uri]).filter((it) => it instanceof vscode.Uri);
      const active = vscode.window.activeTextEditor?.document.uri;
      if (meant.length === 0 && !active) return { kind: 'file' };
      return { kind: 'uris', uris: (meant.length > 0 ? meant : [active]).map(String) };
    }),
    register(commandIds.attachSelection, () => ({ kind: 'selection' })),
    register(commandIds.attachTerminal, () => ({ kind: 'activeTerminal' })),
    register(commandIds.attachTerminalSelection, () => ({ kind: 'terminalSelection' })),
    register(commandIds.attachProblems, () => ({ kind: 'problems' })),
    register(commandIds.attachSymbol, () => ({ kind: 'symbol' })),
    register(commandIds.attachChanges, (...states) => {
      const uris = states
        .flat()
        .map(resourceOf)
        .filter((it) => it !== undefined);
      return uris.length === 0 ? { kind: 'changes' } : { kind: 'changesOf', uris: uris.map(String) };
    }),
  );
}

/** Of a row of Source Control. */
function resourceOf(row: unknown): vscode.Uri | undefined {
  const uri = typeof row === 'object' && row !== null && 'resourceUri' in row ? row.resourceUri : undefined;
  return uri instanceof vscode.Uri ? uri : undefined;
}
