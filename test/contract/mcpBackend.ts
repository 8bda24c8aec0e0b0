import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { announce, shakeHands, type Unnegotiated } from '../../sidecar/gateway/backends/mcp/handshake.ts';
import { listAll } from '../../sidecar/gateway/backends/mcp/listAll.ts';
import { answerOf, ask } from '../../sidecar/gateway/backends/mcp/replies.ts';
import type { McpTarget, Outbound, RequestOptions } from '../../sidecar/gateway/backends/mcp/types.ts';
import type { RpcRequest, RpcResponse } from '../../sidecar/protocol/gateway/mcpWire.ts';
import { until } from '../support/until.ts';

/** One opened way to a fixture. */
export interface Opened {
  readonly connection: Unnegotiated;
  readonly target: McpTarget;
  readonly outbound: Outbound;
  close(): Promise<void>;
}
interface OpenOptions {
  readonly isShared: boolean;
}

const introduction = {
  protocolVersion: '2025-11-25',
  capabilities: { sampling: {}, elicitation: {}, roots: {} },
  clientInfo: { name: 'contract', version: '1' },
};

/** What every connection to an MCP server owes its callers, whatever carries it. */
export function mcpBackendContract(name: string, open: (options: OpenOptions) => Promise<Opened>): void {
  describe(`a connection to an MCP server over ${name}`, () => {
    let opened: Opened;
    let options: RequestOptions;

    async function connect(more: Partial<OpenOptions> = {}): Promise<void> {
      opened = await open({ isShared: false, ...more });
      options = { outbound: opened.outbound, signal: new AbortController().signal };
      const said = { params: introduction, isShared: more.isShared ?? false };
      await shakeHands(opened.connection, opened.target, said, options);
      await announce(opened.connection, options);
    }
    const call = (id: number | string, tool: string, args: object = {}, meta?: object): RpcRequest => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: tool, arguments: args, ...(meta && { _meta: meta }) },
    });
    const textOf = (answer: RpcResponse) =>
      'result' in answer ? (answer.result['content'] as { text: string }[])[0]?.text : `error ${answer.error?.code}`;

    beforeEach(() => connect());
    afterEach(() => opened.close());

    it('knows who answered the handshake', () => {
      assert.equal(opened.connection.hello?.serverInfo?.name, 'fixture');
      assert.equal(opened.connection.hello?.protocolVersion, '2025-11-25');
    });

    it('brings the answer under the id of the request', async () => {
      const answer = await ask(opened.connection, 'fixture', call('a', 'echo', { text: 'ü' }), options);
      assert.equal(answer.id, 'a');
      assert.equal(textOf(answer), 'ü');
    });

    it('brings errors of the protocol as answers', async () => {
      const request: RpcRequest = { jsonrpc: '2.0', id: 5, method: 'no/such' };
      const answer = await ask(opened.connection, 'fixture', request, options);
      assert.equal(textOf(answer), 'error -32601');
    });

    it('keeps callers apart who use the same id and the same progress token', async () => {
      await opened.close();
      await connect({ isShared: true });
      const both = ['one', 'two'].map((text) =>
        ask(opened.connection, 'fixture', call(1, 'echo', { text }, { progressToken: 1 }), options),
      );
      assert.deepEqual((await Promise.all(both)).map(textOf), ['one', 'two']);
    });

    it('brings progress before the answer, under the token of the caller', async () => {
      const reply = await opened.connection.request(
        call(1, 'test_tool_with_progress', {}, { progressToken: 7 }),
        options,
      );
      assert.equal(reply.kind, 'stream');
      const messages: { method?: string; params?: { progressToken: number; progress: number }; id?: number }[] = [];
      for await (const { data } of reply.kind === 'stream' ? reply.events : []) {
        if (data.length > 0) messages.push(JSON.parse(data.toString()) as (typeof messages)[0]);
      }
      const progress = messages.filter((it) => it.method === 'notifications/progress');
      assert.deepEqual(
        progress.map((it) => it.params?.progress),
        [0, 50, 100],
      );
      assert.ok(progress.every((it) => it.params?.progressToken === 7));
      assert.equal(messages.at(-1)?.id, 1);
    });

    it('brings a question of the server, and takes the answer to it', async () => {
      const reply = await opened.connection.request(call(1, 'test_roots'), options);
      assert.equal(reply.kind, 'stream');
      let answer: string | undefined;
      for await (const { data } of reply.kind === 'stream' ? reply.events : []) {
        if (data.length === 0) continue;
        const message = JSON.parse(data.toString()) as RpcRequest | RpcResponse;
        if ('method' in message) {
          assert.equal(message.method, 'roots/list');
          const result = { roots: [{ uri: 'file:///here' }] };
          await opened.connection.send({ jsonrpc: '2.0', id: message.id, result }, options);
        } else answer = textOf(message);
      }
      assert.equal(answer, 'file:///here');
    });

    it('tells a listener what the server says by itself', async () => {
      const stop = new AbortController();
      let heard = '';
      const listening = opened.connection
        .listen(undefined, { ...options, signal: stop.signal })
        .then(async (stream) => {
          for await (const { data } of stream ?? []) {
            if (data.length === 0) continue;
            heard = data.toString();
            return;
          }
        });
      // Over HTTP nothing tells when the server has seen the listener, so it changes until somebody heard of it.
      await until('somebody heard of the change', async () => {
        await ask(opened.connection, 'fixture', call(1, 'test_trigger_tool_change'), options);
        return heard !== '';
      });
      await listening;
      stop.abort();
      assert.match(heard, /notifications\/tools\/list_changed/);
    });

    it('lists all pages', async () => {
      const tools = await listAll(opened.connection, 'fixture', 'tools/list', options);
      assert.ok(tools.some((it) => it['name'] === 'test_simple_text'));
    });

    it('cancels what its caller gave up, and goes on with the next call', async () => {
      const caller = new AbortController();
      const hanging = opened.connection.request(call(1, 'test_hang'), { ...options, signal: caller.signal });
      const ended = hanging.then((reply) => answerOf(reply, 'fixture'));
      caller.abort();
      await assert.rejects(ended, { name: 'BackendFailure', kind: 'cancelled' });
      assert.equal(textOf(await ask(opened.connection, 'fixture', call(2, 'echo', { text: 'on' }), options)), 'on');
    });

    it('gives up on a server that is silent for too long, and says that the call may have run', async () => {
      // After the handshake: on a busy machine, the start of a program takes longer.
      Object.assign(opened.target, { timeoutMs: 1_500 });
      const hanging = opened.connection.request(call(1, 'test_hang'), options).then((it) => answerOf(it, 'fixture'));
      await assert.rejects(hanging, { kind: 'timeout', mayHaveRun: true });
    });

    it('refuses requests once it is closed', async () => {
      await opened.connection.close();
      assert.equal(opened.connection.isClosed, true);
      await assert.rejects(opened.connection.request(call(1, 'echo', { text: 'x' }), options), { kind: 'ended' });
    });
  });
}
