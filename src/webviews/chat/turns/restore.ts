import * as vscode from 'vscode';
import type { ChangesetFile } from '../../../../sidecar/protocol/channels/changeset/schema.ts';
import type { RestorePreview, RestoreWhat } from '../../../../sidecar/protocol/channels/chat/restore.ts';
import { type InvokeChangesetOperationResult, LeftFiles } from '../../../../sidecar/protocol/commands.ts';
import { fileName } from '../../../client/texts.ts';
import { fromHost } from '../../../platform/localizer.ts';
import type { ChatTurnsDeps } from './chatTurnsModule.ts';

/** So many files are named before anything happens; of the others, their number. */
const NAMED_FILES = 5;

type Choice = vscode.QuickPickItem & { readonly what: RestoreWhat | 'compare' };

/** Takes files, the chat or both back to before a prompt. A person sees what goes, and chooses. */
export async function restoreTo(deps: ChatTurnsDeps, turnId: string): Promise<void> {
  const { chat, post } = deps;
  const { chatUri: channel } = chat;
  if (channel === undefined) return;
  if (chat.chat?.activeTurn) throw new Error(vscode.l10n.t('Stop the running turn first.'));
  const turn = chat.chat?.turns.find((it) => it.id === turnId);
  const preview = await chat.deps.port.request('x-switchboard/restorePreview', { channel, turnId });
  const name = firstLine(turn?.message.text ?? '');
  const picked = await vscode.window.showQuickPick(choices(preview), {
    title: vscode.l10n.t('Restore to the Point Before "{0}"', name),
    placeHolder: vscode.l10n.t('What should be restored?'),
    ignoreFocusOut: true,
  });
  if (!picked) return;
  if (picked.what === 'compare') return deps.compareFiles(vscode.l10n.t('Before "{0}" ↔ now', name), preview.files);
  const { what } = picked;
  const answer = await chat.deps.port.request('x-switchboard/restore', { channel, turnId, what });
  if (what !== 'files' && turn) post({ type: 'compose', text: turn.message.text, focus: true, isReturned: true });
  report(answer);
}

export async function redoRestore({ chat }: ChatTurnsDeps): Promise<void> {
  const { chatUri: channel, deps } = chat;
  if (channel !== undefined) report(await deps.port.request('x-switchboard/restoreRedo', { channel }));
}

function choices({ turns, files }: RestorePreview): Choice[] {
  const gone =
    turns === 1
      ? vscode.l10n.t('1 turn will be removed from the chat')
      : vscode.l10n.t('{0} turns will be removed from the chat', turns);
  const chatOnly: Choice = {
    what: 'chat',
    label: vscode.l10n.t('Chat only'),
    description: gone,
    detail: vscode.l10n.t('Files stay as they are.'),
  };
  if (files.length === 0) return [{ ...chatOnly, detail: vscode.l10n.t('No files have changed since then.') }];
  const back =
    files.length === 1
      ? vscode.l10n.t('1 file will be restored')
      : vscode.l10n.t('{0} files will be restored', files.length);
  const named = namesOf(files);
  return [
    { what: 'both', label: vscode.l10n.t('Files and chat'), description: `${back}, ${gone}`, detail: named },
    { what: 'files', label: vscode.l10n.t('Files only'), description: back, detail: named },
    chatOnly,
    {
      what: 'compare',
      label: vscode.l10n.t('Compare with current versions'),
      detail: vscode.l10n.t(
        'Compares the earlier versions of the files with the current versions. Nothing is restored.',
      ),
    },
  ];
}

function namesOf(files: readonly ChangesetFile[]): string {
  const names = files.slice(0, NAMED_FILES).map(({ edit, id }) => fileName(edit.after?.uri ?? edit.before?.uri ?? id));
  const more = files.length - names.length;
  const list = names.join(', ');
  return more > 0 ? vscode.l10n.t('{0} and {1} more', list, more) : list;
}

/** The host names what it had to leave, and why. */
function report({ message, _meta }: InvokeChangesetOperationResult): void {
  const left = LeftFiles.safeParse(_meta).data?.left ?? [];
  if (left.length === 0 || message === undefined) return;
  const text = typeof message === 'string' ? message : message.markdown;
  void vscode.window.showWarningMessage(fromHost(vscode.l10n, text));
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
