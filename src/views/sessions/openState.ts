import type { ChatState } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { HostClient } from '../../client/hostClient.ts';
import type { OpenState } from './hoverCard.ts';

type Client = Pick<HostClient, 'holds' | 'open'>;

/** What this window holds of a session and its chats. A session is not opened for it, because the host acts on that. */
export function openStateOf(client: Client, uri: string): OpenState {
  const session = heldState<SessionState>(client, uri);
  return { session, chats: (session?.chats ?? []).flatMap((it) => heldState<ChatState>(client, it.resource) ?? []) };
}

function heldState<S>(client: Client, uri: string): S | undefined {
  if (!client.holds(uri)) return undefined;
  const view = client.open<S>(uri);
  const { shown } = view;
  view.dispose();
  return shown;
}
