import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import {
  type Asking,
  httpServer,
  mcpFrontUnderTest,
  messageOf,
  request,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { json } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';

const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const modern = { 'mcp-protocol-version': '2026-07-28' };

describe('an address of MCP', () => {
  it('opens a session of its own for each handshake: of the server where it is one, else of the gateway', async () => {
    const gateway = mcpFrontUnderTest({ servers: ['a', 'b'] });
    const one = await messageOf(await gateway.post('/a/mcp', request('initialize', hello)));
    assert.deepEqual(one.result?.['serverInfo'], { name: 'a', version: '1' });
    const several = await messageOf(await gateway.post('/mcp', request('initialize', hello)));
    assert.deepEqual(
      [several.result?.['protocolVersion'], several.result?.['instructions']],
      ['2025-06-18', 'Tools from: a, b.'],
    );
    const unknown = await messageOf(
      await gateway.post('/mcp', request('initialize', { ...hello, protocolVersion: '1999' })),
    );
    assert.equal(unknown.result?.['protocolVersion'], '2025-11-25');
    assert.equal(gateway.front.sessionCount, 3);
    assert.deepEqual(gateway.methods(), ['initialize']);
  });

  const refusals: readonly [string, Parameters<typeof mcpFrontUnderTest>[0], object, number][] = [
    [
      'its server refuses',
      { answer: ({ id }) => json({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no' } }) },
      hello,
      200,
    ],
    ['its server fails', { answer: () => ({ status: 500 }) }, hello, 200],
    ['it has no version', {}, {}, 400],
  ];
  for (const [what, setup, params, status] of refusals)
    it(`opens none where ${what}`, async () => {
      const gateway = mcpFrontUnderTest(setup);
      const response = await gateway.post('/web/mcp', request('initialize', params));
      assert.deepEqual([response.status, response.headers.get('mcp-session-id')], [status, null]);
      assert.notEqual((await messageOf(response)).error, undefined);
      assert.equal(gateway.front.sessionCount, 0);
      assert.equal(gateway.connections.count, 0);
    });

  const ends: readonly [string, Parameters<typeof mcpFrontUnderTest>[0], number][] = [
    ['a fault', { more: { outbound: () => Promise.reject(new Fault('unavailable', 'The store is away.')) } }, 503],
    [
      'a sign-in at its server',
      { servers: [httpServer('web', { delegate_auth_to_upstream: true })], answer: () => ({ status: 401 }) },
      401,
    ],
  ];
  for (const [what, setup, status] of ends)
    it(`leaves no session behind where ${what} ends the handshake`, async () => {
      const gateway = mcpFrontUnderTest(setup);
      assert.equal((await gateway.post('/web/mcp', request('initialize', hello))).status, status);
      assert.equal(gateway.front.sessionCount, 0);
    });

  const rows: readonly [string, string, string, (session: string) => Asking, number][] = [
    ['GET without a session', 'GET', '/web/mcp', () => ({}), 400],
    ['GET of an unknown session', 'GET', '/web/mcp', () => ({ session: 'x' }), 404],
    ['GET of another key', 'GET', '/web/mcp', (session) => ({ session, key: 'key-2' }), 404],
    ['GET of another end user', 'GET', '/web/mcp', (session) => ({ session, endUserId: 'eve' }), 404],
    ['GET at another address', 'GET', '/mcp', (session) => ({ session }), 404],
    ['GET that takes no stream', 'GET', '/web/mcp', (session) => ({ session, headers: { accept: 'text/html' } }), 406],
    ['GET of the modern era', 'GET', '/web/mcp', (session) => ({ session, headers: modern }), 405],
    ['DELETE without a session', 'DELETE', '/web/mcp', () => ({}), 400],
    ['DELETE of an unknown session', 'DELETE', '/web/mcp', () => ({ session: 'x' }), 404],
    ['DELETE of another key', 'DELETE', '/web/mcp', (session) => ({ session, key: 'key-2' }), 404],
    ['PUT', 'PUT', '/web/mcp', (session) => ({ session }), 405],
  ];
  for (const [what, method, path, asking, status] of rows)
    it(`answers ${what} with ${status}, and the session goes on`, async () => {
      const gateway = mcpFrontUnderTest();
      const session = await gateway.initialize('/web/mcp');
      const before = gateway.seen.length;
      assert.equal((await gateway.fetch(method, path, undefined, asking(session))).status, status);
      assert.equal(gateway.seen.length, before);
      assert.equal(gateway.front.sessionCount, 1);
      assert.equal((await gateway.post('/web/mcp', request('ping'), { session })).status, 200);
    });

  it('ends a session on DELETE, and the one of its server with it', async () => {
    const gateway = mcpFrontUnderTest();
    const session = await gateway.initialize('/web/mcp');
    assert.equal((await gateway.fetch('DELETE', '/web/mcp', undefined, { session })).status, 200);
    await until('the session of the server is ended', () => gateway.methods().includes('DELETE'));
    assert.equal((await gateway.post('/web/mcp', request('ping'), { session })).status, 404);
  });

  it('takes a notification of the modern era and brings it nowhere', async () => {
    const gateway = mcpFrontUnderTest();
    const note = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
    assert.equal((await gateway.post('/web/mcp', note, { headers: modern })).status, 202);
    assert.equal(gateway.seen.length, 0);
  });

  it('knows no server by a name that nobody has', async () => {
    const gateway = mcpFrontUnderTest();
    assert.equal((await gateway.post('/nobody/mcp', request('ping'))).status, 404);
  });

  const types: readonly [string, number][] = [
    ['application/json', 200],
    ['Application/JSON; charset=utf-8', 200],
    ['text/plain', 415],
    ['text/plain, application/json', 415],
  ];
  for (const [type, status] of types)
    it(`answers a body of type ${type} with ${status}`, async () => {
      const response = await mcpFrontUnderTest().post('/mcp', request('ping'), { headers: { 'content-type': type } });
      assert.equal(response.status, status);
    });
});
