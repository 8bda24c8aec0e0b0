import * as vscode from 'vscode';

/** The part of a tree view that tells what is selected. */
export type RowsView = Pick<vscode.TreeView<unknown>, 'selection'>;

/**
 * The row with the focus, and all rows that are meant with it. A key hands its command no row, and the editor tells an
 * extension what is selected and not what has the focus. The focused row is the one that joins or leaves the selection when
 * the editor toggles it; toggled again, the selection is as it was.
 */
export async function focusedRow(view: RowsView): Promise<readonly [unknown, readonly unknown[]]> {
  const before = view.selection;
  await vscode.commands.executeCommand('list.toggleSelection');
  const after = view.selection;
  const focused = after.find((it) => !before.includes(it)) ?? before.find((it) => !after.includes(it));
  if (focused !== undefined) await vscode.commands.executeCommand('list.toggleSelection');
  return [focused, before];
}
