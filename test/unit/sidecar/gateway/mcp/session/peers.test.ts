import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  httpServer,
  liveStream,
  mcpFrontUnderTest,
  readStream,
  request,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { linkedPeers } from '../../../../../support/mcp/linkedPeers.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

const newest = { 'mcp-protocol-version': '2025-11-25' };
const keepMs = 7_000;
const askAgainMs = 5_000;
const note = (data: string) => ({ method: 'notifications/message', params: { level: 'info', data } });
const answer = { id: 1, result: { content: [] } };
const question = { id: 5, method: 'roots/list', params: { _meta: { progressToken: 'p' } } };
const eventIdOf = (text: string | undefined) => /^id: (.*)$/m.exec(text ?? '')?.[1] ?? assert.fail(`no id: ${text}`);

/** A call that runs at one of two replicas, and a stream that a test writes to. */
async function replicas(path = '/mcp') {
  const peers = linkedPeers();
  const live = liveStream();
  const open = (id: string) =>
    mcpFrontUnderTest({
      servers: [httpServer('web'), httpServer('other')],
      options: { keepMs },
      more: { peers: peers.open(id) },
      answer: ({ method }) => (method === 'tools/call' ? live.stream : undefined),
    });
  const [one, two] = [open('one'), open('two')];
  const session = await one.initialize(path);
  const name = path === '/mcp' ? 'web__x' : 'x';
  const asking = { session, headers: newest };
  const stream = readStream(await one.post(path, request('tools/call', { name }), asking));
  const resumeAt = (front: typeof one, last: string) =>
    front.fetch('GET', path, undefined, { session, headers: { ...newest, 'last-event-id': last } });
  const methods = (front: typeof one) => front.seen.map((it) => it.method ?? 'answer');
  return { peers, live, one, two, asking, stream, resumeAt, methods, path };
}

describe('a replica that another one asks for its client', () => {
  it('returns the events that follow in a stream, including later ones, until the answer', async () => {
    verifies('gateway.replicas.nothing-lost');
    const { live, one, two, stream, resumeAt } = await replicas();
    live.write(note('first'));
    await stream.next();
    const last = eventIdOf(await stream.next());
    await stream.leave();
    live.write(note('second'));
    live.write(note('third'));
    const again = readStream(await resumeAt(two, last));
    for (const words of ['second', 'third']) assert.equal((await again.message())?.params?.['data'], words);
    assert.equal(one.timers.count(keepMs), 0);
    live.write(answer);
    assert.equal((await again.message())?.id, 1);
    assert.equal(await again.next(), undefined);
    assert.equal(one.records.find((it) => it.call_type === 'mcp:tools/call')?.status, 'success');
  });

  it('counts the call as disconnected if the other replica does not ask again', async () => {
    const { live, one, two, stream, resumeAt } = await replicas();
    const last = eventIdOf(await stream.next());
    await stream.leave();
    live.write(note('first'));
    const again = readStream(await resumeAt(two, last));
    assert.equal((await again.message())?.params?.['data'], 'first');
    await again.leave();
    assert.equal(one.timers.count(keepMs), 0);
    one.timers.pass(askAgainMs);
    assert.equal(one.timers.count(keepMs), 1);
  });

  it('leaves nobody waiting when it has stopped: the client is told that its messages are gone', async () => {
    const { peers, two, stream, resumeAt } = await replicas();
    const last = eventIdOf(await stream.next());
    peers.stop('one');
    const again = readStream(await resumeAt(two, last));
    assert.match((await again.message())?.error?.message ?? '', /no longer has the messages/);
    await stream.leave();
  });

  it('and that does not answer makes clients retry', async () => {
    verifies('gateway.replicas.nothing-lost');
    const { peers, two, stream, resumeAt } = await replicas();
    const last = eventIdOf(await stream.next());
    peers.silence('one');
    const refused = await resumeAt(two, last);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    await stream.leave();
  });

  it('delivers answers and progress to the server that asked', async () => {
    verifies('gateway.replicas.nothing-lost');
    const { live, one, two, asking, stream, methods } = await replicas();
    await stream.next();
    live.write(question);
    const asked = await stream.message();
    const { progressToken } = (asked?.params?.['_meta'] ?? {}) as { readonly progressToken?: string };
    const method = 'notifications/progress';
    const progress = { jsonrpc: '2.0', method, params: { progressToken, progress: 1 } };
    assert.equal((await two.post('/mcp', progress, asking)).status, 202);
    assert.equal(
      (await two.post('/mcp', { jsonrpc: '2.0', id: asked?.id, result: { roots: [] } }, asking)).status,
      202,
    );
    const told = one.seen.find((it) => it.method === method);
    assert.deepEqual([told?.server, told?.params], ['web', { progressToken: 'p', progress: 1 }]);
    const answered = one.seen.at(-1);
    assert.deepEqual([answered?.server, answered?.id, answered?.result], ['web', 5, { roots: [] }]);
    assert.deepEqual(methods(two), []);
    await stream.leave();
  });

  it('and that asked the question refuses answers that nothing waits for any more', async () => {
    const { live, peers, two, asking, stream } = await replicas();
    await stream.next();
    live.write(question);
    const asked = await stream.message();
    peers.stop('one');
    const late = await two.post('/mcp', { jsonrpc: '2.0', id: asked?.id, result: { roots: [] } }, asking);
    assert.equal(late.status, 409);
    await stream.leave();
  });

  it('cancels its call, and tells each of its servers that the roots of the client have changed', async () => {
    verifies('gateway.replicas.nothing-lost');
    const { one, two, asking, stream, methods } = await replicas();
    await stream.next();
    const roots = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
    assert.equal((await two.post('/mcp', roots, asking)).status, 202);
    assert.equal(methods(one).at(-1), roots.method);
    const rest = stream.next();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    assert.equal((await two.post('/mcp', cancel, asking)).status, 202);
    await until('its server was told', () => methods(one).at(-1) === 'notifications/cancelled');
    assert.match((await rest) ?? '', /The call was canceled/);
    assert.deepEqual(methods(two), []);
  });

  it('is not asked for a single HTTP server: answers go to the server from any replica', async () => {
    const { peers, live, two, asking, stream } = await replicas('/web/mcp');
    await stream.next();
    live.write(question);
    const asked = await stream.message();
    assert.equal(asked?.id, 5);
    const post = (message: object) => two.post('/web/mcp', { jsonrpc: '2.0', ...message }, asking);
    assert.equal((await post({ method: 'notifications/initialized' })).status, 202);
    assert.equal((await post({ id: 5, result: { roots: [] } })).status, 202);
    const [first, second] = two.seen;
    assert.deepEqual([first?.method, second?.id, second?.result], ['notifications/initialized', 5, { roots: [] }]);
    assert.ok(first?.session?.startsWith('web-'));
    assert.deepEqual(peers.asked, []);
    await stream.leave();
  });
});
