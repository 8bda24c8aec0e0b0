import { AGENT_DECIDES, hasRunUnasked } from '../../sidecar/protocol/channels/session/permissionDial.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import type { SessionConfigState } from '../../sidecar/protocol/configSchemas.ts';

/** What a person has to know of the dial besides where it stands: it holds nothing, or not everything. */
export type DialDoubt = 'agentDecides' | 'ranUnasked';

/** @param values that hold, or will hold in a session that is not there yet */
export function dialDoubt(
  { schema }: SessionConfigState,
  values: SessionConfigState['values'],
  meta: SessionState['_meta'],
): DialDoubt | undefined {
  const decides = Object.entries(schema.properties).some(([id, property]) => {
    const listed: readonly unknown[] = property.enum ?? [];
    const value = values[id];
    const words = value === true ? property.description : property.enumDescriptions?.[listed.indexOf(value)];
    return words?.startsWith(AGENT_DECIDES) === true;
  });
  if (decides) return 'agentDecides';
  return hasRunUnasked(meta) ? 'ranUnasked' : undefined;
}
