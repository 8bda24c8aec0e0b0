import { hostNotifications } from '../../sidecar/protocol/methods.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { PeerConnection } from '../../sidecar/transport/peer.ts';
import type { Connection } from '../../src/client/connection.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import type { SimTimers } from './time.ts';
import type { SimWire } from './wire.ts';

/** A client's end of a wire. Errors of its own make no sense to a host. */
export function peerOver(wire: SimWire, timers: SimTimers): PeerConnection {
  return PeerConnection.overStream(wire.left, { timers, toError: () => ({ code: -32603, message: 'internal' }) });
}

/** Makes the handshake, and answers the connection as the windows' client takes it. @throws what the host answered */
export async function openConnection(peer: PeerConnection, clientId: string): Promise<Connection> {
  const listeners = new Map<string, (params: unknown) => void>();
  const early: { method: string; params: unknown }[] = [];
  const hear = (method: string) => (params: unknown) => {
    const listener = listeners.get(method);
    if (listener) listener(params);
    else early.push({ method, params });
  };
  peer.onNotification(Object.fromEntries(Object.keys(hostNotifications).map((it) => [it, hear(it)])));
  peer.listen();
  const initializeResult = await peer.sendRequest('initialize', helloOf(clientId, [ROOT]));
  return {
    initializeResult,
    request: (method, params) => peer.sendRequest(method, params as object),
    notify: async (method, params) => void peer.sendNotification(method, params as object),
    onNotification(method, listener) {
      listeners.set(method, listener);
      for (const it of early.splice(0)) {
        if (it.method === method) listener(it.params);
        else early.push(it);
      }
      return { dispose: () => void listeners.delete(method) };
    },
    onClosed(listener) {
      return { dispose: peer.onClose((reason) => listener(reason)) };
    },
  };
}

export const helloOf = (clientId: string, channels: readonly string[]) => ({
  channel: ROOT,
  protocolVersions: ['0.7.0'],
  clientId,
  initialSubscriptions: channels,
  initializationOptions: { window: testWindow },
});
