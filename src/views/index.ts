import { changesView } from './changes/view.ts';
import { customizationsView } from './customizations/view.ts';
import type { TreeDefinition } from './definition.ts';
import { gatewayView } from './gateway/view.ts';
import { inboxView } from './inbox/view.ts';
import { sessionsView } from './sessions/view.ts';
import { worktreesView } from './worktrees/view.ts';

/** All tree views. An architecture test compares them with `package.json`, both ways. */
export const treeViews: readonly TreeDefinition[] = [
  sessionsView,
  inboxView,
  changesView,
  worktreesView,
  customizationsView,
  gatewayView,
];
