import * as vscode from 'vscode';
import { viewIds } from '../../manifest/manifest.ts';
import type { TreeDefinition } from '../definition.ts';
import { InboxTree, inboxBadge } from './provider.ts';

export const inboxView: TreeDefinition = {
  id: viewIds.inbox,
  needsHost: true,
  open(tree, { hosts: { attention }, answerIds }) {
    const inbox = new InboxTree({
      get pending() {
        return attention.pending;
      },
      idOf: (key) => answerIds.of(key),
      onDidChange: attention.onDidChange,
    });
    tree.fill(inbox);
    const badge = () => void (tree.view.badge = inboxBadge(attention.pending.length));
    badge();
    return vscode.Disposable.from(inbox, { dispose: attention.onDidChange(badge).dispose });
  },
};
