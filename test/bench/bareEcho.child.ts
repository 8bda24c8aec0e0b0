import {
  createMessageConnection,
  ParameterStructures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import type { OpenHost } from '../../sidecar/launch/hostContract.ts';
import { runSidecar } from '../../sidecar/launch/runSidecar.ts';
import type { Build } from '../../sidecar/protocol/window.ts';

declare const __BUILD__: Build;

/**
 * The baseline: the library as it comes, sending back what it is sent, with no state and no disk. It stands where our
 * host stands, behind the same relay, so that the same pipes and sockets are passed.
 */
const openBareHost: OpenHost = async () => ({
  attach(stream) {
    const connection = createMessageConnection(new StreamMessageReader(stream), new StreamMessageWriter(stream));
    connection.onNotification('dispatchAction', (params: { channel: string; clientSeq: number; action: unknown }) => {
      const { channel, clientSeq, action } = params;
      const echo = { channel, action, serverSeq: clientSeq, origin: { clientId: 'bench', clientSeq } };
      void connection.sendNotification('action', ParameterStructures.byName, echo);
    });
    connection.listen();
  },
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
  }),
);
