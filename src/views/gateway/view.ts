import * as vscode from 'vscode';
import type { TreeDefinition } from '../definition.ts';
import { GatewayTree } from './provider.ts';

/** How often the view looks again while somebody can see it. */
const LOOK_MS = 10_000;

export const gatewayView: TreeDefinition = {
  id: 'switchboard.gateway',
  needsHost: false,
  open(tree, { gateway }) {
    const rows = new GatewayTree(gateway);
    tree.fill(rows);
    const looking = setInterval(() => {
      if (tree.view.visible && gateway.isAvailable) void gateway.look();
    }, LOOK_MS);
    return vscode.Disposable.from(rows, { dispose: () => clearInterval(looking) });
  },
};
