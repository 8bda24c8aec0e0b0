import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { PeerConnection } from '../../sidecar/transport/peer.ts';
import { FrameReader } from '../../sidecar/transport/reader.ts';
import { FrameWriter } from '../../sidecar/transport/writer.ts';
import { memoryPair } from '../support/memoryPair.ts';

describe('our transport and vscode-jsonrpc, which the language client speaks with', () => {
  const opened: { dispose(): void }[] = [];
  afterEach(() => {
    for (const it of opened.splice(0)) it.dispose();
  });
  const open = (connection: MessageConnection): MessageConnection => {
    opened.push(connection);
    connection.listen();
    return connection;
  };

  it('its connection and our peer understand each other: requests both ways, errors, notifications, cancellation', async () => {
    const [near, far] = memoryPair();
    const peer = PeerConnection.overStream(near, {
      timers: systemTimers,
      toError: () => ({ code: -32001, message: 'ours', data: { a: 1 } }),
    });
    const notes: unknown[] = [];
    peer.onRequest({
      echo: (params) => params,
      fail: () => Promise.reject(new Error('secret')),
      hang: (_params, { signal }) =>
        new Promise((_resolve, reject) => void signal.addEventListener('abort', () => reject(new Error('aborted')))),
    });
    peer.onNotification({ note: (params) => notes.push(params) });
    peer.listen();
    const library = open(createMessageConnection(new StreamMessageReader(far), new StreamMessageWriter(far)));
    library.onRequest('double', ({ n }: { n: number }) => n * 2);

    await library.sendNotification('note', { n: 1 });
    assert.deepEqual(await library.sendRequest('echo', { text: 'ü' }), { text: 'ü' });
    assert.deepEqual(notes, [{ n: 1 }]);
    await assert.rejects(library.sendRequest('fail'), { code: -32001, message: 'ours', data: { a: 1 } });
    await assert.rejects(library.sendRequest('unheard'), { code: -32601 });
    assert.equal(await peer.sendRequest('double', { n: 4 }), 8);
    await assert.rejects(peer.sendRequest('unheard', {}), { code: -32601 });
    const abort = new AbortController();
    const hanging = peer.sendRequest('hang', {}, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await assert.rejects(hanging, /enough/);
  });

  it('our reader and writer stand in for its own', async () => {
    const [near, far] = memoryPair();
    const [left, right] = [near, far].map((it) =>
      open(createMessageConnection(new FrameReader(it), new FrameWriter(it))),
    );
    right?.onRequest('double', ({ n }: { n: number }) => n * 2);
    assert.equal(await left?.sendRequest('double', { n: 21 }), 42);
  });
});
