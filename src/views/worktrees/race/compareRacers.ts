import * as vscode from 'vscode';
import { worktreeOf } from '../../../client/ownTree.ts';
import type { HostPort } from '../../../client/port.ts';
import type { RaceOf } from './races.ts';

/** Shows in a diff editor where the results of two sessions differ. @param names of the sessions, in their order */
export async function compareRacers(
  port: Pick<HostPort, 'request'>,
  race: RaceOf,
  names: readonly string[],
): Promise<void> {
  const title = vscode.l10n.t('Compare Results');
  const items = race.racers.map((racer, at) => ({ label: names[at] ?? '', racer }));
  const pick = (from: readonly (typeof items)[number][], placeHolder: string) =>
    from.length === 1
      ? Promise.resolve(from[0])
      : vscode.window.showQuickPick(from, { title, placeHolder, ignoreFocusOut: true });
  const left = await pick(items, vscode.l10n.t('Select the first session'));
  const right =
    left &&
    (await pick(
      items.filter((it) => it !== left),
      vscode.l10n.t('Select the second session'),
    ));
  if (!left || !right) return;
  const { sessions } = await port.request('x-switchboard/raceChanges', { race: race.id });
  const filesOf = (it: typeof left) => sessions.find((of) => of.session === it.racer.session.resource)?.files ?? [];
  const versions = (it: typeof left) => new Map(filesOf(it).map((file) => [file.path, file]));
  const [one, other] = [versions(left), versions(right)];
  const paths = [...new Set([...one.keys(), ...other.keys()])].sort();
  const differing = paths.filter((it) => one.get(it)?.version !== other.get(it)?.version);
  if (differing.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The two results are identical.'));
    return;
  }
  // A file that only the other session changed is here as it was before, unless the other session created it.
  const isIn = (path: string, own: typeof one, theirs: typeof one) =>
    own.has(path) ? own.get(path)?.kind !== 'deleted' : theirs.get(path)?.kind !== 'created';
  const fileIn = (it: typeof left, path: string) =>
    vscode.Uri.joinPath(vscode.Uri.parse(worktreeOf(it.racer.session) ?? ''), path);
  const rows = differing.map((path) => [
    fileIn(right, path),
    isIn(path, one, other) ? fileIn(left, path) : undefined,
    isIn(path, other, one) ? fileIn(right, path) : undefined,
  ]);
  await vscode.commands.executeCommand('vscode.changes', `${left.label} ↔ ${right.label}`, rows);
}
