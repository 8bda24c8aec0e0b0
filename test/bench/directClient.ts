import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { readLine, toLine } from '../../sidecar/launch/attach/preamble.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { PeerConnection } from '../../sidecar/transport/peer.ts';
import type { SidecarPlace } from '../support/sidecar.ts';

/** A connection to the host of `place` without a relay, so that fifty of them are no fifty processes. */
export async function connectDirectly(place: SidecarPlace): Promise<PeerConnection> {
  const host = place.host();
  if (!host) throw new Error('no host runs');
  const stream = await new Promise<Socket>((resolve, reject) => {
    const socket = connect(host.socket, () => resolve(socket));
    socket.once('error', reject);
  });
  stream.write(toLine({ switchboard: 'attach', build: host.build, protocol: '0.7.0' }));
  const answer = await readLine(stream, 10_000, systemTimers);
  if (answer === undefined || !answer.includes('"ok":true')) throw new Error(`the host did not attach us: ${answer}`);
  return PeerConnection.overStream(stream, {
    timers: systemTimers,
    toError: (thrown) => ({ code: -32603, message: String(thrown) }),
  });
}

/** Follows one chat, and counts what it hears. It reduces nothing: a client's cost is not what is measured. */
export interface Follower {
  readonly peer: PeerConnection;
  /** Settles when `count` more actions of this type came. */
  heard(type: string, count?: number): Promise<void>;
}

export async function follow(place: SidecarPlace, chat?: string): Promise<Follower> {
  const peer = await connectDirectly(place);
  const waiting = new Map<string, { left: number; done: () => void }>();
  peer.onNotification({
    action: (params) => {
      const { type } = (params as { action: { type: string } }).action;
      const wait = waiting.get(type);
      if (!wait) return;
      wait.left -= 1;
      if (wait.left > 0) return;
      waiting.delete(type);
      wait.done();
    },
  });
  peer.listen();
  if (chat !== undefined) {
    await peer.sendRequest('initialize', {
      channel: 'host-root://',
      protocolVersions: ['0.7.0'],
      clientId: randomUUID(),
    });
    // Nothing is gathered for it: each word of the agent is an envelope.
    await peer.sendRequest('subscribe', { channel: chat, view: { turns: 1 }, delivery: { maxLatencyMs: 0 } });
  }
  return {
    peer,
    heard: (type, count = 1) => new Promise((done) => void waiting.set(type, { left: count, done })),
  };
}
