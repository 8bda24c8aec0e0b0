/** `dist/approvals.cjs`: read when a person manages approvals. */
export { manageApprovals } from './commands/approvals.ts';
