import * as vscode from 'vscode';
import { setUpOf } from '../../../sidecar/protocol/channels/session/setUp.ts';
import { hasFlag, status } from '../../../sidecar/protocol/status.ts';
import type { HostPort } from '../../client/port.ts';
import { type MeasuredTree, WorktreeList } from '../../client/worktrees.ts';
import { fromHost } from '../../platform/localizer.ts';
import { sizeText } from '../../platform/sizes.ts';
import { whyOf } from '../../platform/whyOf.ts';
import { holdsText, worktreeName } from './nodes.ts';
import { WorktreesTree } from './provider.ts';
import { compareRacers } from './race/compareRacers.ts';
import { chooseChanges, endRace, keepResult } from './race/endRace.ts';
import { RacesShown } from './race/racesShown.ts';
import { startRace } from './race/startRace.ts';
import type { OpenedWorktrees, RaceCommand, WorktreesDeps } from './worktreesModule.ts';

const viewId = 'switchboard.worktrees';
/** How many a question lists by name. */
const NAMED = 8;

/** Fills the view. */
export function openWorktrees({ tree, host, pins }: WorktreesDeps): OpenedWorktrees {
  const list = new WorktreeList({
    port: host.client,
    folders: () => (vscode.workspace.workspaceFolders ?? []).map((it) => it.uri.toString()),
    pins,
    isShown: () => tree.view.visible,
  });
  const races = new RacesShown(host);
  const rows = new WorktreesTree(list, races);
  tree.fill(rows);
  const show = (problem: string) => void (tree.view.message = problem);
  const look = () => {
    if (!tree.view.visible || !vscode.workspace.isTrusted) return;
    const refused = (thrown: unknown) => show(fromHost(vscode.l10n, whyOf(thrown)));
    void list.look().then(() => show(''), refused);
  };
  look();
  const parts = vscode.Disposable.from(
    rows,
    races,
    tree.view.onDidChangeVisibility(look),
    { dispose: host.client.onDidConnect(look).dispose },
    { dispose: onDidEndOrBegin(host.catalogue, look).dispose },
    vscode.workspace.onDidChangeWorkspaceFolders(look),
    vscode.workspace.onDidGrantWorkspaceTrust(look),
  );
  return {
    refresh: () => list.refresh(),
    cleanUp: () => cleanUp(list),
    remove: (row) => remove(list, row),
    startRace: async () => {
      if (await startRace(host.client)) await vscode.commands.executeCommand(`${viewId}.focus`);
    },
    inRace: (what, row) => inRace(what, row, races, host.client).then(look),
    dispose: () => parts.dispose(),
  };
}

/** Sessions were added or removed, began or ended a turn, or were set up, so worktrees may hold something else. */
function onDidEndOrBegin({ onDidChange }: WorktreesDeps['host']['catalogue'], listener: () => void) {
  return onDidChange((change) => {
    const isOther = (flag: number) =>
      change.kind === 'session' && hasFlag(change.before.status, flag) !== hasFlag(change.after.status, flag);
    const isSetUp =
      change.kind === 'session' && setUpOf(change.before._meta)?.state !== setUpOf(change.after._meta)?.state;
    if (change.kind === 'list' || isSetUp || isOther(status.InProgress) || isOther(status.IsArchived)) listener();
  });
}

/** A command from the palette has no row, so it applies to the newest race. */
async function inRace(what: RaceCommand, row: unknown, races: RacesShown, port: HostPort): Promise<void> {
  const race = races.find(row);
  if (!race) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('There is no race. To start one, use the command "Race Agents…".'),
    );
    return;
  }
  const names = races.namesIn(race);
  const session = sessionIn(row);
  if (what === 'check') await port.request('x-switchboard/raceCheck', { race: race.id });
  else if (what === 'compare') await compareRacers(port, race, names);
  else if (what === 'choose') await chooseChanges(port, race, names);
  else if (what === 'end') await endRace(port, race);
  else if (session !== undefined) await keepResult(port, race, session);
}

async function cleanUp(list: WorktreeList): Promise<void> {
  await list.fetch();
  const safe = list.items.filter((it) => it.holds.length === 0);
  const staying = list.items.length - safe.length;
  const stay =
    staying === 1 ? vscode.l10n.t('1 worktree will be kept.') : vscode.l10n.t('{0} worktrees will be kept.', staying);
  const why = vscode.l10n.t(
    'A worktree is kept while it has uncommitted files or unpushed commits, while a session there is pinned or running, and during a race.',
  );
  if (safe.length === 0) {
    const none = vscode.l10n.t('No worktree can be removed.');
    void vscode.window.showInformationMessage(staying === 0 ? none : `${none} ${why}`);
    return;
  }
  const question =
    safe.length === 1 ? vscode.l10n.t('Remove 1 worktree?') : vscode.l10n.t('Remove {0} worktrees?', safe.length);
  const named = safe.slice(0, NAMED).map((it) => `• ${withSize(it)}`);
  const more = safe.length > NAMED ? [vscode.l10n.t('… and {0} more', safe.length - NAMED)] : [];
  const detail = [...named, ...more, '', goes(), ...(staying === 0 ? [] : ['', `${stay} ${why}`])].join('\n');
  if (await isConfirmed(question, detail)) await removeAll(list, safe);
}

async function remove(list: WorktreeList, row: unknown): Promise<void> {
  await list.fetch();
  const tree = list.items.find((it) => it.worktree === idOf(row));
  if (!tree) return;
  if (tree.holds.length > 0) return tellKept(tree, tree.holds);
  const question = vscode.l10n.t('Remove the worktree {0}?', withSize(tree));
  if (await isConfirmed(question, goes())) await removeAll(list, [tree]);
}

async function removeAll(list: WorktreeList, trees: readonly MeasuredTree[]): Promise<void> {
  const title = vscode.l10n.t('Removing worktrees…');
  const { removed, kept } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title },
    () => list.remove(trees.map((it) => it.worktree)),
  );
  for (const { worktree, holds } of kept) {
    const tree = trees.find((it) => it.worktree === worktree);
    if (tree) tellKept(tree, holds);
  }
  if (removed.length > 0)
    void vscode.window.showInformationMessage(
      removed.length === 1
        ? vscode.l10n.t('1 worktree was removed.')
        : vscode.l10n.t('{0} worktrees were removed.', removed.length),
    );
}

function tellKept(tree: MeasuredTree, holds: MeasuredTree['holds']): void {
  const name = worktreeName(vscode.l10n, tree);
  const why = holdsText(vscode.l10n, holds);
  void vscode.window.showWarningMessage(vscode.l10n.t('The worktree {0} was kept: {1}.', name, why));
}

async function isConfirmed(question: string, detail: string): Promise<boolean> {
  const go = vscode.l10n.t('Remove');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) === go;
}

function goes(): string {
  return vscode.l10n.t(
    'All files are committed, and all commits are on a remote or another branch. Files that Git ignores will be deleted, and the sessions that work there will be archived.',
  );
}

function withSize(tree: MeasuredTree): string {
  const name = worktreeName(vscode.l10n, tree);
  return tree.size ? `${name} (${sizeText(vscode.l10n, tree.size.bytes)})` : name;
}

function sessionIn(row: unknown): string | undefined {
  return typeof row === 'object' && row !== null && 'session' in row && typeof row.session === 'string'
    ? row.session
    : undefined;
}

function idOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined;
}
