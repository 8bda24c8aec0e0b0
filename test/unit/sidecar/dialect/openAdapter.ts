import type { AhpAdapter } from '../../../../sidecar/dialect/ahpAdapter.ts';
import { AhpAdapters } from '../../../../sidecar/dialect/ahpAdapters.ts';
import { SharedNotification } from '../../../../sidecar/transport/wireText.ts';
import { testWindow } from '../../../support/host/hostPlace.ts';

export const introduction = { build: { version: '0.1.0', builtAtMs: 1 }, window: testWindow };

export type Told = Record<string, unknown>;

/** A connection whose handshake is made, with what the host would say put in by hand. */
export function openAdapter(version: string, ahpAdapters = new AhpAdapters(introduction), clientId = 'c1'): AhpAdapter {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { channel: 'ahp-root://', protocolVersions: [version], clientId },
  };
  const face = ahpAdapters.choose(hello);
  if (typeof face !== 'object') throw new Error('this is not the public protocol');
  face.fromClient(hello);
  const result = { protocolVersion: '0.7.0', serverSeq: 3, snapshots: [] };
  face.toClient({ jsonrpc: '2.0', id: 1, result });
  return face;
}

/** What the client of the face is told for a message of the host; nothing where it is not told. */
export function tell(face: AhpAdapter, message: Told): Told | undefined {
  const { id, method, params } = message;
  const isShared = typeof method === 'string' && id === undefined;
  const told = isShared
    ? face.shared(new SharedNotification(method, params as object))?.text
    : JSON.stringify(face.toClient({ jsonrpc: '2.0', ...message }));
  return told === undefined ? undefined : (JSON.parse(told) as Told);
}
/** What the host hears for a message of the client. */
export function hear(face: AhpAdapter, message: object): Told | undefined {
  const { toHost } = face.fromClient(JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message })));
  return toHost && (JSON.parse(JSON.stringify(toHost)) as Told);
}

export function paramsOf(message: Told | undefined): Told {
  if (!message) throw new Error('there was no message');
  return message['params'] as Told;
}

/** An action of the host, as the client gets it. */
export function tellAction(face: AhpAdapter, channel: string, action: object): unknown {
  const told = tell(face, { method: 'action', params: { channel, action, serverSeq: 7 } });
  return (told?.['params'] as Told | undefined)?.['action'];
}
/** The state of a channel of the host, as the client gets it. */
export function tellState(face: AhpAdapter, resource: string, state: object): unknown {
  hear(face, {
    id: 5,
    method: 'subscribe',
    params: { channel: resource.replace('host-session:', 'claude:').replace('host-', 'ahp-') },
  });
  const told = tell(face, { id: 5, result: { snapshot: { resource, state, fromSeq: 1 } } });
  if (!told) throw new Error('nothing was told');
  return ((told['result'] as Told)['snapshot'] as Told)['state'];
}
/** An action of the client, as the host gets it. */
export function hearAction(face: AhpAdapter, channel: string, action: object): unknown {
  const heard = hear(face, { method: 'dispatchAction', params: { channel, clientSeq: 1, action } });
  return paramsOf(heard)['action'];
}
