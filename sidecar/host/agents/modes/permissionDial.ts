import { dialOf, type PermissionDial, USUAL_DIAL } from '../../../protocol/channels/session/permissionDial.ts';
import type { ConfigValues, SessionConfigState } from '../../../protocol/configSchemas.ts';
import { decidingNow } from './askingModes.ts';

/** What holds in a session with this config: where the agent decides by itself the dial holds nothing, so it stands at Ask. */
export function heldDial(config: SessionConfigState, wanted: ConfigValues | undefined): PermissionDial {
  return decidingNow(config).length > 0 ? USUAL_DIAL : dialOf(wanted);
}

/**
 * Why the dial cannot be set so, or `undefined`.
 * @param after the values that would hold
 * @param isLetIn by a credential: such a client may only narrow what an agent may do
 */
export function refuseDial(config: SessionConfigState, after: ConfigValues, isLetIn: boolean): string | undefined {
  const [before, wanted] = [dialOf(config.values), dialOf(after)];
  if (wanted === before || wanted === USUAL_DIAL) return undefined;
  if (wanted === 'acceptEdits' && isLetIn)
    return '"Accept edits" can be chosen only in a VS Code window on the same machine as the host.';
  return decidingNow({ ...config, values: after }).length > 0
    ? 'In its current mode, the agent decides for itself what to run. Choose another mode before you change the permissions.'
    : undefined;
}
