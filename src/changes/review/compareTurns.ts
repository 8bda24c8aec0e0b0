import * as vscode from 'vscode';
import type { ChatState, Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import { expandTemplate } from '../../../sidecar/protocol/uris.ts';
import type { HostPort } from '../../client/port.ts';
import { whenShown } from '../../client/whenShown.ts';
import { openMultiDiff } from '../diffs.ts';
import type { OperationsDeps } from '../operations.ts';

/** So many of the newest turns are offered; of an older one, nobody knows any more what it was. */
const OFFERED_TURNS = 100;

/** Files as they were at the end of one turn, against those at the end of a later one, in one editor. */
export async function compareTurns(
  { hostOf, changesets }: Pick<OperationsDeps, 'hostOf' | 'changesets'>,
  session: string,
): Promise<void> {
  const { id, client: port } = hostOf(session);
  const state = await whenShown<SessionState>(port, session);
  const template = state.changesets?.find((it) => it.changeKind === 'compare-turns')?.uriTemplate;
  const turns = state.defaultChat === undefined ? [] : await newestTurns(port, state.defaultChat);
  if (template === undefined || turns.length < 2) {
    const text = vscode.l10n.t('Nothing to compare yet. The session needs at least two turns.');
    return void vscode.window.showInformationMessage(text);
  }
  const original = await pickTurn(turns.slice(0, -1).toReversed(), vscode.l10n.t('Select the first turn to compare'));
  if (!original) return;
  const later = turns.slice(turns.indexOf(original) + 1).toReversed();
  const modified = await pickTurn(later, vscode.l10n.t('Select the later turn to compare'));
  if (!modified) return;
  const changeset = expandTemplate(template, { originalTurnId: original.id, modifiedTurnId: modified.id });
  if (changeset === undefined) throw new Error(`The host names its comparisons in an unknown way: ${template}`);
  const { files } = await changesets.computed(changeset);
  if (files.length === 0) {
    const text = vscode.l10n.t('The files are identical at the end of both turns.');
    return void vscode.window.showInformationMessage(text);
  }
  await openMultiDiff(vscode.l10n.t('{0} ↔ {1}', nameOf(original), nameOf(modified)), files, id, 'kept');
}

async function newestTurns(port: HostPort, chat: string): Promise<readonly Turn[]> {
  return (await whenShown<ChatState>(port, chat, { turns: OFFERED_TURNS })).turns.slice(-OFFERED_TURNS);
}

async function pickTurn(turns: readonly Turn[], placeHolder: string): Promise<Turn | undefined> {
  const items = turns.map((turn) => ({ label: nameOf(turn), turn }));
  return (await vscode.window.showQuickPick(items, { placeHolder, ignoreFocusOut: true }))?.turn;
}

/** The first line of what was asked. */
function nameOf({ message }: Turn): string {
  const line = message.text.trim().split('\n', 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
