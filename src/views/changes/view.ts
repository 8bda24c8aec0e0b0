import * as vscode from 'vscode';
import { hasFlag, status } from '../../../sidecar/protocol/status.ts';
import type { Sessions } from '../../client/catalogue.ts';
import { type Changesets, changesetOf } from '../../client/changesets.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { onCommand } from '../../platform/commandHandlers.ts';
import type { TreeDefinition } from '../definition.ts';
import { focusedRow } from '../sessions/focusedRow.ts';
import { ChangesTree } from './provider.ts';
import { ChangesShape } from './shape.ts';

export const changesView: TreeDefinition = {
  id: 'switchboard.changes',
  needsHost: true,
  open(tree, { hosts, changesets, workspaceState }) {
    const shape = new ChangesShape(workspaceState);
    const changes = new ChangesTree({
      sessions: () => hosts.sessions,
      look: (changeset) => changesets.look(changeset),
      canRedo: (changeset) => canRedo(changesets, changeset),
      hostOf: (session) => hosts.of(session).id,
      canStage: (changeset) => canStage(changesets, changeset),
      peek: (changeset) => changesets.peek(changeset),
      // Files are named below the folders of their sessions too: those of a host elsewhere are not open here.
      folders: () => [...openFolders(), ...hosts.sessions.flatMap((it) => it.workingDirectories ?? [])],
      isTree: () => shape.isTree,
      onDidChange: (listener) =>
        vscode.Disposable.from(
          followChanges(hosts, changesets, listener),
          shape.onDidChange(() => listener(undefined)),
        ),
    });
    tree.fill(changes);
    const onFocused = (command: string, run: string) =>
      onCommand(command, async () => {
        const [row, rows] = await focusedRow(tree.view);
        if (row !== undefined) await vscode.commands.executeCommand(run, row, rows);
      });
    return vscode.Disposable.from(
      changes,
      shape,
      onFocused(commandIds.keepSelected, commandIds.keepFile),
      onFocused(commandIds.undoSelected, commandIds.undoFile),
    );
  },
};

function followChanges(
  sessions: Sessions,
  changesets: Changesets,
  listener: (changeset: string | undefined) => void,
): vscode.Disposable {
  let sets = '';
  return vscode.Disposable.from(
    {
      dispose: changesets.onDidChange((changeset) => {
        const now = setsText(sessions, changesets);
        listener(now === sets ? changeset : undefined);
        sets = now;
      }).dispose,
    },
    {
      dispose: sessions.onDidChange(() => {
        const now = setsText(sessions, changesets);
        if (now === sets) return;
        sets = now;
        listener(undefined);
      }).dispose,
    },
  );
}

/** Everything that the rows of the sets show: the tree is drawn again only when it differs. */
function setsText({ sessions }: Sessions, changesets: Changesets): string {
  return sessions
    .map((it) => {
      const { resource, title, changes } = it;
      const counts = `${changes?.files ?? 0} ${changes?.additions ?? 0} ${changes?.deletions ?? 0}`;
      return `${resource} ${title} ${hasFlag(it.status, status.InProgress)} ${counts} ${canRedo(changesets, changesetOf(resource))} ${canStage(changesets, changesetOf(resource))}`;
    })
    .join('\n');
}

function canRedo(changesets: Changesets, changeset: string): boolean {
  const redo = changesets.peek(changeset)?.operations?.find((it) => it.id === 'redo');
  return redo !== undefined && redo.status !== 'disabled';
}

function canStage(changesets: Changesets, changeset: string): boolean {
  return changesets.peek(changeset)?.operations?.some((it) => it.id === 'stage' && it.status !== 'disabled') === true;
}

function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((it) => it.uri.toString());
}
