import type { AgentRuntime } from '../agents/agentRuntimes.ts';

/** How the agent's conversation begins, the first time that it is asked. */
export function beginning(runtime: AgentRuntime): 'startup' | 'resume' | undefined {
  if (runtime.isBegunReported) return undefined;
  runtime.isBegunReported = true;
  return runtime.isNew ? 'startup' : 'resume';
}

export function whenAborted(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
}
