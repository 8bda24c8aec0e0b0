import type { Children } from '../../platform/children/children.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { EditorModel } from '../../protocol/channels/root/editorModels.ts';
import { optionsOf, type SessionModels } from '../models.ts';
import type { AgentProvider } from '../provider.ts';

export interface CoderDeps extends Pick<Runtime, 'timers' | 'newId'> {
  readonly children: Pick<Children, 'spawn'>;
  /** Absolute path of the editor's ripgrep. Absent: the one on PATH is used. */
  readonly ripgrep?: string | undefined;
}

/**
 * The built-in coding agent, which uses the models of the gateway and of the editor. Its code is loaded with its first session.
 *
 * @param models those that are registered in the gateway now
 * @param editorModels those that the window offers
 */
export function coderProvider(
  deps: CoderDeps,
  models: SessionModels['models'],
  editorModels: readonly EditorModel[] = [],
): AgentProvider {
  return {
    id: 'coder',
    displayName: 'Switchboard',
    description: 'Writes and changes code with any model of the gateway or of VS Code.',
    models: optionsOf(models, editorModels),
    capabilities: { multipleChats: { fork: true, sideChat: true } },
    // Large models can think for minutes.
    silentAfterMs: 300_000,
    open: async (context) => (await import('./session.ts')).openCoderSession(deps, context),
  };
}
