import type { Fault } from '../../platform/faults.ts';
import { AgentLogin, SessionProblem } from '../../protocol/channels/session/problem.ts';
import { sameJson } from '../../protocol/collections.ts';
import { AuthRequiredData } from '../../protocol/errors.ts';
import type { Store } from '../state/store.ts';
import { commitMeta } from './chatAccess.ts';

/** Says in `_meta.problem` of a session what keeps it from going on, or that nothing does. It is in the summary too. */
export function setProblem(store: Store, session: string | undefined, problem: SessionProblem | undefined): void {
  const state = session === undefined ? undefined : store.state('session', session);
  if (session === undefined || !state || sameJson(state._meta?.['problem'], problem)) return;
  commitMeta(store, session, 'problem', problem);
}

export function problemOf(store: Store, session: string): SessionProblem | undefined {
  return SessionProblem.safeParse(store.state('session', session)?._meta?.['problem']).data;
}

/** What a person can do about a failed turn; most failures are no more than a message in the chat. */
export function problemFrom({ code, message, data }: Fault): SessionProblem | undefined {
  if (code === 'folder_gone') return { kind: 'folderGone', message };
  if (code === 'command_missing') return { kind: 'agentMissing', message };
  if (code === 'provider_not_found') return { kind: 'agentGone', message };
  if (code !== 'auth_required') return undefined;
  const terminal: unknown = typeof data === 'object' && data !== null && 'terminal' in data ? data.terminal : undefined;
  const login = AgentLogin.safeParse(terminal);
  const wanted = AuthRequiredData.safeParse(data).success ? (data as AuthRequiredData) : undefined; // as it was given
  return {
    kind: 'signInNeeded',
    message,
    ...(login.success && { login: login.data }),
    ...(wanted && { resources: wanted.resources }),
  };
}
