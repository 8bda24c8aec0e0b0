import * as vscode from 'vscode';
import { viewIds } from '../../manifest/manifest.ts';
import type { TreeDefinition } from '../definition.ts';
import { InboxTree, inboxBadge } from './provider.ts';

export const inboxView: TreeDefinition = {
  id: viewIds.inbox,
  needsHost: true,
  open(tree, { hosts, answerIds }) {
    const { attention } = hosts;
    const inbox = new InboxTree({
      get pending() {
        return attention.pending;
      },
      idOf: (key) => answerIds.of(key),
      get sessions() {
        return hosts.sessions;
      },
      onDidChange: (listener) => vscode.Disposable.from(attention.onDidChange(listener), hosts.onDidChange(listener)),
    });
    tree.fill(inbox);
    const badge = () => void (tree.view.badge = inboxBadge(attention.pending.length));
    badge();
    return vscode.Disposable.from(inbox, { dispose: attention.onDidChange(badge).dispose });
  },
};
