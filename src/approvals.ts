/** `dist/approvals.cjs`: loaded when a person manages approvals. */
export { showApprovalHistory } from './commands/approvalHistory.ts';
export { manageApprovals } from './commands/approvals.ts';
