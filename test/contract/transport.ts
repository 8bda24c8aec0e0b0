import assert from 'node:assert/strict';
import type { Duplex } from 'node:stream';
import { afterEach, describe, it } from 'mocha';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import type { FrameLinkOptions } from '../../sidecar/transport/frameLink.ts';
import { PeerConnection, type PeerDeps } from '../../sidecar/transport/peer.ts';
import { SharedNotification } from '../../sidecar/transport/wireText.ts';
import { toFrame } from '../support/host/toFrame.ts';
import { verifies } from '../support/verifies.ts';

/** What every stream owes a {@link PeerConnection}. `open` answers its two ends. */
export function transportContract(name: string, open: () => Promise<readonly [Duplex, Duplex]>): void {
  describe(`a connection over ${name}`, () => {
    const opened: Duplex[] = [];
    afterEach(() => {
      for (const it of opened.splice(0)) it.destroy();
    });

    /** A peer that serves, and the bare other end. */
    async function serve(more: Partial<PeerDeps & FrameLinkOptions> = {}) {
      const [served, other] = await open();
      opened.push(served, other);
      const troubles: string[] = [];
      const notes: unknown[] = [];
      const peer = PeerConnection.overStream(served, {
        timers: systemTimers,
        toError: (_thrown, method) => ({ code: -32000, message: `mapped for ${method}` }),
        onTrouble: ({ what }) => troubles.push(what),
        ...more,
      });
      peer.onRequest({
        echo: (params) => params,
        nothing: () => undefined,
        later: async (params) => {
          await Promise.resolve();
          return params;
        },
        fail: () => {
          throw new Error('/secret/path');
        },
        failLater: () => Promise.reject(new Error('/secret/path')),
        unwritable: () => 1n,
        hang: (_params, { signal }) =>
          new Promise((_resolve, reject) => void signal.addEventListener('abort', () => reject(new Error('aborted')))),
      });
      peer.onNotification({ note: (params) => notes.push(params) });
      peer.listen();
      return { peer, other, troubles, notes };
    }
    async function call(more: Partial<PeerDeps & FrameLinkOptions> = {}) {
      const { peer, other, troubles, notes } = await serve(more);
      const caller = PeerConnection.overStream(other, {
        timers: systemTimers,
        toError: () => ({ code: -32603, message: 'internal' }),
      });
      caller.listen();
      return { peer, caller, troubles, notes };
    }
    const text = (message: object) => toFrame(JSON.stringify({ jsonrpc: '2.0', ...message }));

    it('answers requests, undefined as null', async () => {
      verifies('host.service.json-rpc');
      const { caller } = await call();
      assert.deepEqual(await caller.sendRequest('echo', { a: 'ü' }), { a: 'ü' });
      assert.deepEqual(await caller.sendRequest('later', [1]), [1]);
      assert.equal(await caller.sendRequest('nothing', {}), null);
    });

    for (const [method, code, message] of [
      ['fail', -32000, 'mapped for fail'],
      ['failLater', -32000, 'mapped for failLater'],
      ['unwritable', -32000, 'mapped for unwritable'],
      ['unheard', -32601, 'unknown method: unheard'],
      ['constructor', -32601, 'unknown method: constructor'],
    ] as const) {
      it(`answers ${method} with ${code}, and goes on`, async () => {
        const { caller } = await call();
        await assert.rejects(caller.sendRequest(method, {}), { code, message });
        assert.deepEqual(await caller.sendRequest('echo', {}), {});
      });
    }

    it('cancels by $/cancelRequest, when the caller aborts', async () => {
      const { caller } = await call();
      const abort = new AbortController();
      const waiting = caller.sendRequest('hang', {}, { signal: abort.signal });
      abort.abort(new Error('changed my mind'));
      await assert.rejects(waiting, /changed my mind/);
      assert.deepEqual(await caller.sendRequest('echo', {}), {});
    });

    it('cancels nothing that was answered, also when its signal aborts later', async () => {
      const { other, peer } = await serve();
      const sent = collect(other, 2);
      const abort = new AbortController();
      const answered = peer.sendRequest('ask', {}, { signal: abort.signal });
      other.write(text({ id: 1, result: 'yes' }));
      assert.equal(await answered, 'yes');
      abort.abort();
      peer.sendNotification('last', {});
      const methods = (await sent).map((it) => (it as { method?: string }).method);
      assert.deepEqual(methods, ['ask', 'last']);
    });

    it('carries nothing out that came in one piece with what closed the connection', async () => {
      const { other, peer, notes } = await serve();
      peer.onNotification({ stop: () => peer.close('enough') });
      const closed = new Promise<string>((resolve) => void peer.onClose(resolve));
      other.write(
        text({ method: 'note', params: [1] }) + text({ method: 'stop' }) + text({ method: 'note', params: [2] }),
      );
      assert.equal(await closed, 'enough');
      await new Promise((resolve) => void setImmediate(resolve));
      assert.deepEqual(notes, [[1]]);
    });

    it('answers a cancelled request with -32800', async () => {
      const { other } = await serve();
      const answers = collect(other, 1);
      other.write(text({ id: 1, method: 'hang' }) + text({ method: '$/cancelRequest', params: { id: 1 } }));
      assert.deepEqual(await answers, [
        { jsonrpc: '2.0', id: 1, error: { code: -32800, message: 'the request was canceled' } },
      ]);
    });

    it('gives up a request after its time', async () => {
      const { caller } = await call();
      await assert.rejects(caller.sendRequest('hang', {}, { timeoutMs: 1 }), { code: 'unavailable' });
    });

    it('fails everything that waits as soon as the connection closes, with the reason', async () => {
      const { peer, caller } = await call();
      const waiting = caller.sendRequest('hang', {});
      peer.close('enough');
      await assert.rejects(waiting, { code: 'unavailable', message: /closed/ });
      await assert.rejects(caller.sendRequest('echo', {}), { code: 'unavailable' });
    });

    it('sends text that was serialised once', async () => {
      const { other, peer } = await serve();
      const got = collect(other, 1);
      peer.sendShared(new SharedNotification('action', { a: 1 }, `{"a":1}`));
      assert.deepEqual(await got, [{ jsonrpc: '2.0', method: 'action', params: { a: 1 } }]);
    });

    it('handles messages in the order in which they came, and answers synchronous handlers in it', async () => {
      const { other, notes } = await serve();
      const answers = collect(other, 3);
      const sent = [1, 2, 3].map(
        (id) => text({ method: 'note', params: [id] }) + text({ id, method: 'echo', params: [id] }),
      );
      other.write(sent.join(''));
      assert.deepEqual(
        (await answers).map((it) => it.result),
        [[1], [2], [3]],
      );
      assert.deepEqual(notes, [[1], [2], [3]]);
    });

    for (const { says, input, error } of [
      { says: 'a body that is no JSON', input: toFrame('{'), error: { id: null, code: -32700 } },
      { says: 'a batch', input: toFrame('[]'), error: { id: null, code: -32600 } },
      { says: 'null', input: toFrame('null'), error: { id: null, code: -32600 } },
      {
        says: 'another version',
        input: toFrame('{"jsonrpc":"1.0","id":3,"method":"echo"}'),
        error: { id: 3, code: -32600 },
      },
      { says: 'a missing method', input: text({ id: 3 }), error: { id: 3, code: -32600 } },
      { says: 'a numeric method', input: text({ id: 3, method: 4 }), error: { id: 3, code: -32600 } },
      { says: 'id null', input: text({ id: null, method: 'echo' }), error: { id: null, code: -32600 } },
    ]) {
      it(`answers ${says} with ${error.code} and keeps the connection`, async () => {
        const { other } = await serve();
        const answers = collect(other, 2);
        other.write(input + text({ id: 9, method: 'echo', params: {} }));
        const [first, second] = await answers;
        const refused = first!.error as { code: number };
        assert.deepEqual({ id: first!.id, code: refused.code }, error);
        assert.deepEqual(second, { jsonrpc: '2.0', id: 9, result: {} });
      });
    }

    it('answers lost framing with the reason and closes', async () => {
      const { other, peer } = await serve();
      const answers = collect(other, 1);
      const ended = new Promise((resolve) => void other.once('end', resolve));
      other.write('Content-Length: -1\r\n\r\n');
      const message = 'Content-Length must be a whole number of bytes, 0 or more';
      assert.deepEqual(await answers, [{ jsonrpc: '2.0', id: null, error: { code: -32700, message } }]);
      await ended;
      assert.equal(peer.isClosed, true);
    });

    it('refuses an id that is in use', async () => {
      const { other } = await serve();
      const answers = collect(other, 1);
      other.write(text({ id: 1, method: 'hang' }) + text({ id: 1, method: 'echo' }));
      assert.deepEqual((await answers)[0]!.error, { code: -32600, message: 'id is already in use' });
    });

    it('refuses more requests at once than it may have under way', async () => {
      const { other } = await serve({ maxRunning: 1 });
      const answers = collect(other, 1);
      other.write(text({ id: 1, method: 'hang' }) + text({ id: 2, method: 'echo' }));
      assert.deepEqual((await answers)[0], {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32600, message: 'too many requests are in progress' },
      });
    });

    it('refuses what is nested deeper than it may be, and goes on', async () => {
      const { other } = await serve({ maxDepth: 8 });
      const answers = collect(other, 2);
      other.write(toFrame(`${'['.repeat(9)}${']'.repeat(9)}`) + text({ id: 2, method: 'echo', params: {} }));
      assert.deepEqual(
        (await answers).map((it) => it.id),
        [null, 2],
      );
    });

    it('ignores unknown notifications and responses to nothing, and never answers a bad response', async () => {
      const { other, troubles } = await serve();
      const answers = collect(other, 1);
      other.write(text({ method: 'unheard' }) + text({ id: 5, result: 1 }) + text({ id: 5, error: 1 }));
      other.write(text({ id: 6, method: 'echo', params: {} }));
      assert.deepEqual(await answers, [{ jsonrpc: '2.0', id: 6, result: {} }]);
      assert.equal(troubles.length, 2);
    });

    it('drops a peer that does not read', async () => {
      const { peer, other } = await serve({ maxQueueBytes: 100_000 });
      other.pause();
      const reason = new Promise((resolve) => void peer.onClose(resolve));
      let isOpen = true;
      for (let n = 0; isOpen && n < 10_000; n++) isOpen = peer.sendNotification('flood', { text: 'x'.repeat(10_000) });
      assert.equal(await reason, 'overflow');
    });
  });
}

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The next `count` messages that arrive at a bare stream. */
function collect(stream: Duplex, count: number): Promise<Answer[]> {
  return new Promise((resolve) => {
    let held = '';
    const got: Answer[] = [];
    stream.on('data', (chunk: Buffer) => {
      held += chunk.toString();
      for (;;) {
        const head = /^Content-Length: (\d+)\r\n\r\n/.exec(held);
        if (!head || held.length < head[0].length + Number(head[1])) break;
        got.push(JSON.parse(held.slice(head[0].length, head[0].length + Number(head[1]))) as Answer);
        held = held.slice(head[0].length + Number(head[1]));
      }
      if (got.length >= count) resolve(got);
    });
  });
}
