import type { Runtime } from '../../platform/runtime.ts';
import type { EditorModel } from '../../protocol/channels/root/editorModels.ts';
import { namesOf, type SessionModels } from '../models.ts';
import type { AgentProvider } from '../provider.ts';

export type CoderDeps = Pick<Runtime, 'timers' | 'newId'>;

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

/** The models that can be chosen. Those of the gateway come first. */
export const optionsOf = (models: SessionModels['models'], editorModels: readonly EditorModel[]) => [
  ...namesOf(models).map((it) => ({ id: it, name: it })),
  ...editorModels.map(({ id, name }) => ({ id, name })),
];
