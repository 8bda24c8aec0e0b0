import type { CallContext } from '../auth/caller.ts';

/** The headers that Claude Code and OpenCode add to calls of their sub-agents. */
const marks = ['x-claude-code-agent-id', 'x-parent-session-id'] as const;

/** Whether an agent declares that one of its sub-agents makes the call. */
export const isOfSubAgent = ({ headers }: Pick<CallContext, 'headers'>): boolean => marks.some((it) => headers.get(it));
