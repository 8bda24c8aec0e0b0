import * as z from 'zod';
import { ProtectedResourceMetadata } from '../../shared.ts';

/** An agent's own login, to be run in a terminal. */
export const AgentLogin = z.object({
  command: z.string().min(1),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).exactOptional(),
});
export type AgentLogin = z.infer<typeof AgentLogin>;

/**
 * `_meta.problem` of a session and of its summary: a trouble of that session which a person can end with one click. The host
 * sets it with the event and takes it away when the session goes on.
 */
export const SessionProblem = z.object({
  kind: z.enum(['signInNeeded', 'agentSilent', 'agentMissing', 'agentGone', 'forgotEarlierTurns', 'folderGone']),
  /** For a person: what happened, why, what to do. Absent: the client has words of its own. */
  message: z.string().exactOptional(),
  /** For signInNeeded, where the agent says how. */
  login: AgentLogin.exactOptional(),
  /** For signInNeeded: what wants a token. */
  resources: z.array(ProtectedResourceMetadata).exactOptional(),
});
export type SessionProblem = z.infer<typeof SessionProblem>;
