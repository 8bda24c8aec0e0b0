import type { Host } from '../client/hosts.ts';

export interface ApprovalsDeps {
  /** The one of this machine first. */
  readonly hosts: () => readonly Pick<Host, 'id' | 'name' | 'client'>[];
  readonly openChat: (session: string) => void;
}

/** What `dist/approvals.cjs` gives. */
export interface ApprovalsModule {
  manageApprovals(deps: ApprovalsDeps): Promise<void>;
}
