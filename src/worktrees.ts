/** `dist/worktrees.cjs`: loaded when the view Worktrees is first seen, or one of its commands runs. */
export { openWorktrees } from './views/worktrees/openWorktrees.ts';
