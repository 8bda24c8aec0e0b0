import * as vscode from 'vscode';
import type { AccessQuestion } from '../../sidecar/protocol/resources.ts';
import { AnswerIds, claimOf } from '../client/answerIds.ts';
import type { HostPort } from '../client/port.ts';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { accessTitle } from './accessText.ts';
import { showQuestion } from './questionToast.ts';
import { ShownQuestions } from './shownQuestions.ts';

/**
 * Programs that ask for files outside of all sessions: one notification each, in every window, gone as soon as one of
 * them answered. What is put off stays unanswered, and the program waits. A call without the one-time id of the
 * notification does nothing.
 */
export function registerAccessQuestions(port: HostPort, warn: (text: string) => void): vscode.Disposable {
  const ids = new AnswerIds(() => crypto.randomUUID());
  const shown: ShownQuestions<AccessQuestion> = new ShownQuestions((question) =>
    showQuestion(
      accessTitle(vscode.l10n, question, (key) => ids.of(key)),
      () => shown.putOff(question.id),
    ),
  );
  const show = (items: readonly AccessQuestion[]) => {
    ids.keepOnly(items.map((it) => it.id));
    shown.show(items);
  };
  const answer = (command: string, allow: boolean) =>
    onCommand(command, async (argument: unknown) => {
      const claim = claimOf(argument);
      if (!ids.spend(claim)) return;
      await port
        .request('x-switchboard/accessAnswer', { id: claim.key, allow })
        .then(undefined, (thrown: unknown) => warn(`an answer came too late: ${String(thrown)}`));
    });
  return vscode.Disposable.from(
    answer(commandIds.allowAccess, true),
    answer(commandIds.denyAccess, false),
    { dispose: port.onNotification('x-switchboard/accessQuestions', ({ items }) => show(items)).dispose },
    { dispose: port.onDidDisconnect(() => show([])).dispose },
    { dispose: () => show([]) },
  );
}
