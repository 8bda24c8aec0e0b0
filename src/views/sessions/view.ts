import type { TreeDefinition } from '../definition.ts';

/** The sessions of this machine. Where hosts elsewhere are attached, the tree is filled anew with the sessions of all. */
export const sessionsView: TreeDefinition = {
  id: 'switchboard.sessions',
  needsHost: true,
  open(tree, { localSessions }) {
    tree.fill(localSessions);
    return localSessions;
  },
};
