import * as vscode from 'vscode';
import type { RaceChoice, RaceFile } from '../../../../sidecar/protocol/channels/session/race.ts';
import type { HostPort } from '../../../client/port.ts';
import type { RaceOf } from './races.ts';

type Port = Pick<HostPort, 'request'>;

/** What a row of the list to choose from is: a file or one of its hunks. */
interface Row extends vscode.QuickPickItem {
  readonly choice?: RaceChoice;
}

/** A person picks files and hunks of several sessions. @param names of the sessions, in their order */
export async function chooseChanges(port: Port, race: RaceOf, names: readonly string[]): Promise<void> {
  const { sessions } = await port.request('x-switchboard/raceChanges', { race: race.id });
  const rows = race.racers.flatMap((racer, at): Row[] => {
    const files = sessions.find((it) => it.session === racer.session.resource)?.files ?? [];
    const found = files.flatMap((file) => rowsOf(racer.session.resource, file));
    return found.length === 0 ? [] : [{ label: names[at] ?? '', kind: vscode.QuickPickItemKind.Separator }, ...found];
  });
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No session in this race has changed a file.'));
    return;
  }
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Choose Changes'),
    placeHolder: vscode.l10n.t('Select the changes to put into your folder'),
    canPickMany: true,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  if (picked && picked.length > 0) await keep(port, race, together(picked.flatMap((it) => it.choice ?? [])));
}

/** All that one session changed. */
export async function keepResult(port: Port, race: RaceOf, session: string): Promise<void> {
  const { sessions } = await port.request('x-switchboard/raceChanges', { race: race.id });
  const files = sessions.find((it) => it.session === session)?.files ?? [];
  await keep(
    port,
    race,
    files.map(({ path, version }) => ({ session, path, version })),
  );
}

export function endRace(port: Port, race: RaceOf): Promise<void> {
  return keep(port, race, []);
}

function rowsOf(session: string, { path, version, kind, hunks }: RaceFile): Row[] {
  const choice = { session, path, version };
  const words = {
    created: vscode.l10n.t('created'),
    changed: vscode.l10n.t('changed'),
    deleted: vscode.l10n.t('deleted'),
  };
  if (!hunks || hunks.length === 0) return [{ label: path, description: words[kind], choice }];
  return hunks.map(({ line, removed, added }, at) => ({
    label: `${path}:${line + 1}`,
    description: [...removed.map((it) => `−${it.trim()}`), ...added.map((it) => `+${it.trim()}`)].join(' '),
    choice: { ...choice, hunks: [at] },
  }));
}

/** The hunks of a file as one choice. */
function together(choices: readonly RaceChoice[]): RaceChoice[] {
  const all = new Map<string, RaceChoice>();
  for (const it of choices) {
    const key = JSON.stringify([it.session, it.path]);
    const { hunks } = all.get(key) ?? {};
    all.set(key, hunks && it.hunks ? { ...it, hunks: [...hunks, ...it.hunks] } : it);
  }
  return [...all.values()];
}

async function keep(port: Port, race: RaceOf, chosen: readonly RaceChoice[]): Promise<void> {
  const files = new Set(chosen.map((it) => it.path)).size;
  const isNothing = chosen.length === 0;
  const go = isNothing ? vscode.l10n.t('End Race') : vscode.l10n.t('Keep and End Race');
  const question = isNothing
    ? vscode.l10n.t('End this race without keeping anything?')
    : files === 1
      ? vscode.l10n.t('Keep 1 file and end this race?')
      : vscode.l10n.t('Keep {0} files and end this race?', files);
  const goes = vscode.l10n.t(
    'All {0} worktrees of this race and their branches will be removed, and their sessions will be stopped and archived.',
    race.racers.length,
  );
  const put = vscode.l10n.t('What you keep is put into your folder as uncommitted changes.');
  const detail = isNothing ? goes : `${put} ${goes}`;
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) !== go) return;
  const { written, kept } = await port.request('x-switchboard/raceKeep', { race: race.id, chosen: [...chosen] });
  const done = isNothing
    ? vscode.l10n.t('The race was ended.')
    : written.length === 1
      ? vscode.l10n.t('1 file was put into your folder.')
      : vscode.l10n.t('{0} files were put into your folder.', written.length);
  if (kept.length === 0) void vscode.window.showInformationMessage(done);
  else
    void vscode.window.showWarningMessage(
      `${done} ${vscode.l10n.t('Some worktrees could not be removed. They are in the Worktrees view.')}`,
    );
}
