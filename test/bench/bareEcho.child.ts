import assert from 'node:assert/strict';
import {
  createMessageConnection,
  type MessageConnection,
  ParameterStructures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import type { OpenHost } from '../../sidecar/launch/host/hostContract.ts';
import { runSidecar } from '../../sidecar/launch/runSidecar.ts';
import type { Build } from '../../sidecar/protocol/hostInfo.ts';

declare const __BUILD__: Build;

/** As long as the ids of a host. */
const ID = '00000000-0000-4000-8000-000000000000';

const followers = new Set<MessageConnection>();

/**
 * The baseline: the library as it comes, sending back what it is sent, and streaming words to those who follow, with no
 * state and no disk. It stands where our host stands, so that the same pipes and sockets are passed.
 */
const openBareHost: OpenHost = async () => ({
  attach(stream) {
    const connection = createMessageConnection(new StreamMessageReader(stream), new StreamMessageWriter(stream));
    connection.onNotification('dispatchAction', (params: { channel: string; clientSeq: number; action: unknown }) => {
      const { channel, clientSeq, action } = params;
      const echo = { channel, action, serverSeq: clientSeq, origin: { clientId: 'bench', clientSeq } };
      void connection.sendNotification('action', ParameterStructures.byName, echo);
    });
    connection.onRequest('ready', () => null);
    connection.onNotification('follow', () => void followers.add(connection));
    connection.onClose(() => void followers.delete(connection));
    connection.onNotification('stream', ({ count, content }: { count: number; content: string }) => {
      for (let serverSeq = 1; serverSeq <= count; serverSeq += 1) {
        const action = { type: 'chat/delta', turnId: ID, partId: `${ID}-0`, content };
        const envelope = { channel: `host-chat:/${ID}`, action, serverSeq, _meta: { at: '2026-01-01T00:00:00.000Z' } };
        for (const it of followers) void it.sendNotification('action', ParameterStructures.byName, envelope);
      }
    });
    connection.listen();
  },
  attachLink: () => assert.fail('nobody comes over WebSocket'),
  isBusy: () => false,
  onIdle: () => () => undefined,
  setNotices: () => undefined,
  idleExitMinutes: 10,
  clients: 1,
  close: async () => undefined,
});

process.exit(
  await runSidecar({
    process,
    build: __BUILD__,
    entry: process.argv[1] ?? '',
    loadHost: async () => openBareHost,
    loadGateway: () => Promise.reject(new Error('there is no gateway here')),
    loadDocuments: () => Promise.reject(new Error('there is no gateway here')),
    keepCode: () => undefined,
  }),
);
