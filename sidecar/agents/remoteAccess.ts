/** What a key for the gateway opens: its A2A agents, or its cloud-agents service. */
export type RemoteService = 'agents' | 'cloud';

/** Where the gateway is, and a key of one chat for one service, which is secret and never logged. */
export interface RemoteAccess {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** For the gateway's records and its limits for each session. */
  readonly session: string;
}
