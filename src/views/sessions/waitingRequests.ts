import * as vscode from 'vscode';
import type { AnswerIds } from '../../client/answerIds.ts';
import type { Attention, PendingRequest } from '../../client/attention.ts';
import type { InboxNode } from '../inbox/nodes.ts';
import { requestNodes } from '../inbox/nodes.ts';
import type { WaitingRequests } from './provider.ts';
import { changedSessions, groupBySession } from './requestGroups.ts';

/** What the sessions of one host wait for, by session, read once a change. */
export function waitingRequests(
  attention: Pick<Attention, 'pending' | 'onDidChange'>,
  ids: Pick<AnswerIds, 'of'>,
): WaitingRequests {
  let bySession: ReadonlyMap<string, readonly PendingRequest[]> | undefined;
  const read = () => (bySession ??= groupBySession(attention.pending));
  return {
    of: (session): readonly InboxNode[] => requestNodes(vscode.l10n, read().get(session) ?? [], (key) => ids.of(key)),
    onDidChange(listener) {
      const stop = attention.onDidChange(() => {
        const before = read();
        bySession = undefined;
        const changed = changedSessions(before, read());
        if (changed.length > 0) listener(changed);
      });
      return new vscode.Disposable(() => stop.dispose());
    },
  };
}
