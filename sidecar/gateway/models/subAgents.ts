import type { CallContext } from '../auth/caller.ts';

/**
 * The headers that Claude Code and OpenCode add to calls of their sub-agents, and the header that identifies the sub-agent.
 * OpenCode runs each sub-agent in a session of its own.
 */
const marks = [
  { mark: 'x-claude-code-agent-id', id: 'x-claude-code-agent-id' },
  { mark: 'x-parent-session-id', id: 'x-session-affinity' },
] as const;

/** Longer IDs are cut, because the caller chooses them. */
const MAX_ID = 128;

/** @returns the ID of the sub-agent that makes the call; `undefined` if the agent does not report one */
export function subAgentOf({ headers }: Pick<CallContext, 'headers'>): string | undefined {
  for (const { mark, id } of marks) {
    const marked = headers.get(mark);
    if (marked) return (headers.get(id) || marked).slice(0, MAX_ID);
  }
  return undefined;
}
