import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { HttpConnection } from '../../../../../../sidecar/gateway/backends/mcp/httpConnection.ts';
import { systemTimers } from '../../../../../../sidecar/platform/timers.ts';
import { answer, call, eventsOf, hello, lineTo, note, target } from '../../../../../support/mcp/httpLine.ts';
import { events, json, type Scripted } from '../../../../../support/mcp/scriptedSend.ts';

describe('a request over streamable HTTP', () => {
  it('is one POST that takes both kinds of answer', async () => {
    const { connection, server, options } = lineTo(() => json(answer()));
    const reply = await connection.request(call, options);
    assert.deepEqual(reply, { kind: 'message', status: 200, text: JSON.stringify(answer()), message: answer() });
    const [sent] = server.sent;
    assert.deepEqual(
      [server.sent.length, sent?.method, sent?.url, JSON.parse(sent?.body ?? '')],
      [1, 'POST', target.url, call],
    );
    assert.deepEqual(sent?.headers, {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    });
  });

  it('has the session that `initialize` brought, and the version from 2025-06-18 on', async () => {
    for (const [version, named] of [
      ['2025-03-26', undefined],
      ['2025-06-18', '2025-06-18'],
    ]) {
      const line = lineTo((method) => json(answer(), { headers: { 'mcp-session-id': `of ${method}` } }), {
        isNew: true,
      });
      await line.connection.request({ ...call, method: 'initialize' }, line.options);
      line.connection.adopt({ ...hello, protocolVersion: String(version) }, line.connection.sessionId);
      for (const headers of [undefined, { 'mcp-protocol-version': 'own' }])
        await line.connection.request(call, { ...line.options, ...(headers && { headers }) });
      assert.equal(line.connection.sessionId, 'of initialize');
      assert.deepEqual(
        line.server.sent.map(({ headers }) => [headers['mcp-session-id'], headers['mcp-protocol-version']]),
        [
          [undefined, undefined],
          ['of initialize', named],
          ['of initialize', 'own'],
        ],
      );
    }
  });

  it('repeats its method in headers in the newer era alone', async () => {
    for (const era of ['modern', 'legacy'] as const) {
      const { connection, server, options } = lineTo(() => json(answer()), { era });
      await connection.request(call, options);
      const named = server.sent.map(({ headers }) => [headers['mcp-method'], headers['mcp-name']]);
      assert.deepEqual(named, [era === 'modern' ? ['tools/call', 't'] : [undefined, undefined]]);
    }
  });

  it('of one of several callers goes out under an id of its own, and its answer has that of the caller', async () => {
    const { connection, server, options } = lineTo(
      () => (server.sent.length === 1 ? json(answer('sb-id-1')) : events([note, answer('sb-id-2')])),
      { isShared: true },
    );
    const reply = await connection.request(call, options);
    assert.deepEqual(reply.kind === 'message' && [JSON.parse(reply.text), reply.message], [answer(), answer()]);
    const seen = await eventsOf(await connection.request(call, options));
    assert.deepEqual(JSON.parse(seen.at(-1)?.data.toString() ?? ''), answer());
    assert.deepEqual(
      server.messages().map((it) => it['id']),
      ['sb-id-1', 'sb-id-2'],
    );
  });

  const error = { jsonrpc: '2.0', error: { code: -32000, message: 'no' } };
  const accepted: readonly [says: string, Scripted][] = [
    ['an error without an id', json(error)],
    ['an error with the id null', json({ ...error, id: null })],
    ['an error with status 400', json({ ...error, id: 7 }, { status: 400 })],
    ['an error with status 500', json({ ...error, id: 7 }, { status: 500 })],
  ];
  for (const [says, script] of accepted)
    it(`brings ${says} as an answer, with the status`, async () => {
      const { connection, options } = lineTo(() => script);
      const reply = await connection.request(call, options);
      assert.deepEqual([reply.kind, reply.kind === 'message' && reply.status], ['message', script.status ?? 200]);
    });

  const challenge = { headers: { 'www-authenticate': 'Bearer x' } };
  const refused: readonly [says: string, Scripted | Error, failure: object, session?: string][] = [
    ['the answer to another request', json(answer(8)), { kind: 'garbage', mayHaveRun: true }],
    ['a result without an id', json(answer(null)), { kind: 'garbage' }],
    ['an error for another request', json({ ...error, id: 8 }), { kind: 'garbage' }],
    ['no answer but a question', json({ ...call, method: 'ping' }), { kind: 'garbage' }],
    ['an answer that is there twice', json('{"jsonrpc":"2.0","id":7,"result":{},"result":{}}'), { kind: 'garbage' }],
    ['no JSON', json('<html>'), { kind: 'garbage', mayHaveRun: true }],
    ['no JSON with status 299', json('<html>', { status: 299 }), { kind: 'garbage' }],
    ['a redirect', { status: 300 }, { kind: 'status', status: 300, mayHaveRun: false }],
    ['events with another status', events([answer()], { status: 201 }), { kind: 'garbage' }],
    ['status 499', { status: 499 }, { kind: 'status', status: 499, mayHaveRun: false }],
    ['status 500', { status: 500 }, { kind: 'status', status: 500, mayHaveRun: true }],
    [
      'an answer with 401',
      json(answer(), { status: 401, ...challenge }),
      { kind: 'status', status: 401, mayHaveRun: false, challenge: 'Bearer x' },
    ],
    ['an answer with 403', json(answer(), { status: 403 }), { kind: 'status', status: 403, mayHaveRun: false }],
    ['404 without a session', { status: 404 }, { kind: 'status', status: 404, mayHaveRun: false }],
    ['404 in a session', { status: 404, body: ['gone'] }, { kind: 'session_lost', mayHaveRun: false }, 's'],
    ['more than the limit', json('x'.repeat(1_001)), { kind: 'too_large', mayHaveRun: true }],
    ['nothing, by an end', new Error('socket'), { kind: 'ended', mayHaveRun: true }],
  ];
  for (const [says, script, failure, session] of refused)
    it(`fails where the server answers ${says}, and leaves no body unread`, async () => {
      const line = lineTo(() => script, session === undefined ? {} : { session });
      await assert.rejects(line.connection.request(call, line.options), { name: 'BackendFailure', ...failure });
      assert.deepEqual([line.server.open(), line.methods(), line.connection.isBusy], [0, ['tools/call'], false]);
      const isLost = session !== undefined;
      assert.equal(line.connection.isClosed, isLost);
      if (!isLost) return;
      await assert.rejects(line.connection.request(call, line.options), { kind: 'ended', mayHaveRun: false });
      await line.connection.close();
      assert.equal(line.server.sent.length, 1, 'nothing is sent in a session that the server forgot');
    });

  it('needs a server with an address', () => {
    const { url: _, ...nowhere } = target;
    const deps = { era: 'legacy', isShared: false, timers: systemTimers, newId: () => '1' } as const;
    assert.throws(() => new HttpConnection({ ...deps, target: nowhere }), {
      kind: 'not_allowed',
      mayHaveRun: false,
    });
  });
});
