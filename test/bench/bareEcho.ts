import {
  createMessageConnection,
  ParameterStructures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';

/** The baseline: the library as it comes, sending back what it is sent, with no state and no disk. */
const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
connection.onNotification('dispatchAction', (params: { channel: string; clientSeq: number; action: unknown }) => {
  const { channel, clientSeq, action } = params;
  void connection.sendNotification('action', ParameterStructures.byName, {
    channel,
    action,
    serverSeq: clientSeq,
    origin: { clientId: 'bench', clientSeq },
  });
});
connection.onClose(() => process.exit(0));
connection.listen();
