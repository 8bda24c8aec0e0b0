import type { Host, OpenHost } from '../../../sidecar/launch/host/hostContract.ts';
import type { Notice } from '../../../sidecar/protocol/hostInfo.ts';
import { defaultLimits } from '../../../sidecar/protocol/limits.ts';
import { FrameLink } from '../../../sidecar/transport/frameLink.ts';
import { PeerConnection } from '../../../sidecar/transport/peer.ts';

/** A host without agents, for tests of what surrounds a host: clients say when it is busy and how long it may idle. */
export const openEchoHost: OpenHost = async ({ build, runtime: { timers, log }, onStopRequested }) => {
  const peers = new Set<PeerConnection>();
  const idleListeners = new Set<() => void>();
  let notices: readonly Notice[] = [];
  let isBusy = false;
  let idleExitMinutes: number | undefined;
  const host: Host = {
    attach: (stream) => host.attachLink(new FrameLink(stream, { timers }), { limits: defaultLimits, credential: '' }),
    attachLink(link) {
      const peer = new PeerConnection(link, { timers, toError: () => ({ code: -32603, message: 'internal' }) });
      peers.add(peer);
      peer.onClose(() => peers.delete(peer));
      peer.onRequest({
        echo: (params) => params,
        about: () => ({ pid: process.pid, build, env: process.env, argv: process.argv, clients: peers.size }),
        notices: () => notices,
        idleExit: (params) => {
          ({ minutes: idleExitMinutes } = params as { minutes: number });
        },
        busy: (params) => {
          ({ isBusy } = params as { isBusy: boolean });
          // After the answer, as a host does whose turn ends in the same tick.
          if (!isBusy) setImmediate(() => idleListeners.forEach((it) => void it()));
        },
        stop: (params) => {
          setImmediate(() => onStopRequested((params as { restart: boolean }).restart));
        },
      });
      peer.listen();
    },
    isBusy: () => isBusy,
    onIdle(listener) {
      idleListeners.add(listener);
      return () => idleListeners.delete(listener);
    },
    setNotices(all) {
      notices = all;
    },
    get idleExitMinutes() {
      return idleExitMinutes;
    },
    get clients() {
      return peers.size;
    },
    async close() {
      log.info({ clients: peers.size }, 'the echo host closes');
      for (const peer of peers) peer.close('the host is stopping');
    },
  };
  return host;
};
