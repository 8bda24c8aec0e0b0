import type { EditorModels } from '../../agents/models.ts';
import { ROOT } from '../../protocol/uris.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';

/** A window answers within 20 seconds, even if its model has said nothing. */
const LIMIT_MS = 60_000;

/** The models that the editor of a session's window offers. @param requester the window whose settings count for the session */
export function editorModelsOf(
  askClient: EffectDeps['askClient'],
  requester: () => Requester | undefined,
): EditorModels {
  return {
    list: () => requester()?.window?.editorModels ?? [],
    open() {
      const clientId = requester()?.clientId ?? '';
      return (params, signal) =>
        askClient(
          clientId,
          'x-switchboard/editorModelCall',
          { channel: ROOT, ...params },
          { signal, timeoutMs: LIMIT_MS },
        );
    },
  };
}
