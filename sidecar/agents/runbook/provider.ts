import type { Children } from '../../platform/children/children.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { AgentProvider } from '../provider.ts';

export interface RunbookDeps extends Pick<Runtime, 'timers'> {
  readonly children: Children;
  /** The user's own folder of runbooks; an absolute path. */
  readonly userFolder?: string;
}

/** The embedded agent: performs Markdown runbooks, exactly and offline. What reads and runs them is loaded then. */
export function runbookProvider(deps: RunbookDeps): AgentProvider {
  return {
    id: 'runbook',
    displayName: 'Runbook',
    description: 'Runs a Markdown runbook the same way every time. Type / to list the runbooks.',
    ...(deps.userFolder !== undefined && {
      folders: [{ path: deps.userFolder, name: 'Runbooks', contents: 'prompt', writable: true }],
    }),
    open: async (context) => (await import('./session.ts')).openRunbookSession(deps, context),
    complete: async (context) => (await import('./session.ts')).completeRunbookName(deps, context),
  };
}
