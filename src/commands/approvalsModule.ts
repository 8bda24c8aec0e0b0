import type { Host } from '../client/hosts.ts';

export interface ApprovalsDeps {
  /** The one of this machine first. */
  readonly hosts: () => readonly Pick<Host, 'id' | 'name' | 'client'>[];
  readonly openChat: (session: string, at?: { readonly turnId: string; readonly host?: string }) => void;
  /** Shows a text that can be saved. */
  readonly openText: (title: string, text: string, extension: 'json' | 'md') => Promise<void>;
}

/** What `dist/approvals.cjs` gives. */
export interface ApprovalsModule {
  manageApprovals(deps: ApprovalsDeps): Promise<void>;
  showApprovalHistory(deps: ApprovalsDeps): Promise<void>;
}
