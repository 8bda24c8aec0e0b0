import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import { liveStream, mcpFrontUnderTest, readStream, request } from '../../../../../support/mcp/frontUnderTest.ts';
import { until } from '../../../../../support/until.ts';

type Live = ReturnType<typeof liveStream>;

describe('the stream of a session with several servers', () => {
  function streaming(check: (alias: string) => void = () => undefined) {
    const lives: (Live & { readonly server: string; readonly last: string | undefined })[] = [];
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      outboundCheck: check,
      answer: (seen) => {
        if (seen.http !== 'GET') return undefined;
        const live = { ...liveStream(), server: seen.server, last: seen.headers['last-event-id'] };
        lives.push(live);
        return live.stream;
      },
    });
    const listen = async (session: string, last?: string) => {
      const headers = last === undefined ? {} : { 'last-event-id': last };
      return readStream(await gateway.fetch('GET', '/mcp', undefined, { session, headers }));
    };
    const connect = async (session: string, ...names: readonly string[]) => {
      for (const name of names) await gateway.post('/mcp', request('tools/call', { name }), { session });
    };
    return { gateway, lives, listen, connect };
  }
  const note = (data: string) => ({ method: 'notifications/message', params: { level: 'info', data } });

  it('goes on from where the client was at that server alone, also where others are joined before it', async () => {
    const { gateway, lives, listen, connect } = streaming();
    const session = await gateway.initialize('/mcp');
    await connect(session, 'a__x', 'b__x');
    await listen(session, 'id-b:e7');
    await until('both were asked for', () => lives.length === 2);
    assert.deepEqual(
      lives.map((it) => [it.server, it.last]),
      [
        ['a', undefined],
        ['b', 'e7'],
      ],
    );
  });

  for (const refusal of [
    new Fault('auth_required', "Sign in to 'a' first.", { data: { reason: 'sign_in' } }),
    new Fault('unavailable', 'The database of the gateway does not respond.'),
  ]) {
    it(`goes on with the others where one cannot be asked: ${refusal.code}`, async () => {
      const { gateway, lives, listen, connect } = streaming((alias) => {
        if (alias === 'a') throw refusal;
      });
      const session = await gateway.initialize('/mcp');
      await connect(session, 'b__x');
      const stream = await listen(session);
      await until('the other was asked for', () => lives.length === 1);
      lives[0]?.write(note('of b'));
      assert.deepEqual((await stream.message())?.params, note('of b').params);
    });
  }
});

describe('the one stream of a client of the transport of 2024-11-05', () => {
  it('is broken off where a server sent more than is kept in memory, and nothing else is', async () => {
    const lives: Live[] = [];
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      options: { maxResponseBytes: 1_000 },
      answer: ({ http }) => {
        if (http !== 'GET') return undefined;
        const live = liveStream();
        lives.push(live);
        return live.stream;
      },
    });
    const stream = readStream(await gateway.fetch('GET', '/sse', undefined));
    await stream.next();
    const address = /data: (\S+)/.exec((await stream.next()) ?? '')?.[1] ?? '';
    const ask = async (id: number, method: string, params: object = {}) => {
      assert.equal((await gateway.post(address, request(method, params, id))).status, 202);
      return stream.message();
    };
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    await ask(0, 'initialize', hello);
    await ask(1, 'tools/call', { name: 'a__x' });
    await until('its stream was asked for', () => lives.length === 1);
    const asking = (length: number) => ({
      jsonrpc: '2.0',
      id: 3,
      method: 'roots/list',
      params: { x: 'x'.repeat(length) },
    });
    lives[0]?.write(asking(1_000 - JSON.stringify(asking(0)).length - 1));
    await assert.rejects(stream.message(), /is reading too slowly/);
  });
});
