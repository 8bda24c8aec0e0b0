import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { HostClient } from './hostClient.ts';

/** What a host says of itself, where somebody of this window looks at it already; asks for no connection. */
export function rootStateOf(client: Pick<HostClient, 'holds' | 'open'>): RootState | undefined {
  if (!client.holds(ROOT)) return undefined;
  const view = client.open<RootState>(ROOT);
  const { shown } = view;
  view.dispose();
  return shown;
}
