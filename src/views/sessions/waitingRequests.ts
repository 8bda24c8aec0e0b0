import * as vscode from 'vscode';
import type { AnswerIds } from '../../client/answerIds.ts';
import type { Attention } from '../../client/attention.ts';
import type { InboxNode } from '../inbox/nodes.ts';
import { requestNodes } from '../inbox/nodes.ts';
import type { WaitingRequests } from './provider.ts';
import { changedSessions, groupBySession } from './requestGroups.ts';

/** What the sessions of one host wait for, by session, read once a change. */
export function waitingRequests(
  attention: Pick<Attention, 'pending' | 'onDidChange'>,
  ids: Pick<AnswerIds, 'of'>,
): WaitingRequests & vscode.Disposable {
  let bySession = groupBySession(attention.pending);
  const changed = new vscode.EventEmitter<readonly string[]>();
  const stop = attention.onDidChange(() => {
    const before = bySession;
    bySession = groupBySession(attention.pending);
    const sessions = changedSessions(before, bySession);
    if (sessions.length > 0) changed.fire(sessions);
  });
  return {
    of: (session): readonly InboxNode[] =>
      requestNodes(vscode.l10n, bySession.get(session) ?? [], (key) => ids.of(key)),
    onDidChange: changed.event,
    dispose: () => vscode.Disposable.from(changed, { dispose: stop.dispose }).dispose(),
  };
}
