import type { Connection } from './connection.ts';

const notifications = ['textDocument/didOpen', 'textDocument/didChange', 'textDocument/didClose'] as const;
const requests = ['textDocument/completion', 'textDocument/hover'] as const;

/** What a language client may ask, as the answer to `initialize` says: whole texts, completion, hover. */
export const documentCapabilities = {
  textDocumentSync: { openClose: true, change: 1 },
  completionProvider: { triggerCharacters: ['"', ':', '['] },
  hoverProvider: true,
} as const;

/** Hands the editor's questions about documents on. They come after the handshake, as everything else does. */
export function serveDocuments(connection: Connection): void {
  const { peer, deps } = connection;
  const session = deps.documents?.({
    publish: (params) => peer.sendNotification('textDocument/publishDiagnostics', params),
    knowsSchema: () => connection.knowsSchema,
  });
  if (!session) return;
  for (const method of notifications) {
    peer.onNotification({
      [method](params) {
        if (!connection.hasClient) return;
        session.notify(method, params).catch((thrown: unknown) => deps.log.report(deps.newId(), thrown));
      },
    });
  }
  for (const method of requests) {
    peer.onRequest({
      [method](params) {
        if (!connection.hasClient) throw connection.unknownMethod(method);
        return session.ask(method, params);
      },
    });
  }
}
