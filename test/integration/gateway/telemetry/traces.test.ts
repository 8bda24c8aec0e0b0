import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { projectRoot } from '../../../support/cache.ts';
import { bearer, messageBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel } from '../../../support/models/provider.ts';
import { type OtlpCollector, startOtlpCollector } from '../../../support/telemetry/otlpCollector.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${callerSpan}-01`;

describe('the traces of a gateway', () => {
  let collector: OtlpCollector;
  let stand: Stand;
  let key: string;
  before(async () => {
    collector = await startOtlpCollector();
    stand = await openStand({
      otlp: {
        endpoint: `${collector.url}/`,
        headers: { authorization: 'Bearer of-the-collector' },
        traces: true,
        metrics: true,
        sampleRatio: 1,
        intervalMs: 1_000,
      },
      stdio: { isTrusted: true, allowedCommands: [process.execPath] },
    });
    await stand.addServer({
      ...{ alias: 'program', transport: 'stdio', command: process.execPath },
      args: [join(projectRoot, 'test', 'support', 'mcp', 'stdioFixture.child.ts')],
      env: { TELLS_META: '1' },
    });
    await stand.register({ alias: 'echo', disallowed_tools: ['other'] });
    await stand.registerAgent('weather');
    await addModel(stand, 'small', 'chat');
    key = await stand.addKey({ models: ['small'] });
  });
  after(async () => {
    await stand.close();
    await collector.close();
  });

  const spansOf = (id: string) => collector.spans.filter((it) => it.traceId === id);
  /** The span of a call and the one of what it asked, by the id that the answer came with. */
  async function spansFor(headers: Headers, count = 2) {
    const id = headers.get('x-gateway-call-id');
    const server = () => collector.spans.find((it) => it.attributes['gateway.call.id'] === id);
    await until('the call is exported', () => {
      const found = server();
      return found !== undefined && spansOf(found.traceId).length >= count;
    });
    const found = server();
    assert.ok(found);
    return { server: found, client: collector.spans.find((it) => it.parentSpanId === found.spanId) };
  }
  const sent = (heard: Heard | undefined) => heard?.headers['traceparent']?.toString();

  const calls: readonly (readonly [string, string, string, object | undefined, string])[] = [
    ['an MCP server', '/echo/mcp', '/mcp/echo', toolCall('echo'), 'tools/call echo'],
    ['an MCP server through REST', '/mcp-rest/tools/call', '/mcp/echo', { name: 'echo__echo' }, 'tools/call echo'],
    ['an A2A agent', '/a2a/weather', '/agent/weather', messageBody(), 'invoke_agent weather'],
    [
      'a model',
      '/v1/chat/completions',
      '/openai/v1/chat/completions',
      { model: 'small', messages: [{ role: 'user', content: 'hi' }] },
      'chat small',
    ],
    ['the cloud-agents service', '/cloudagents/v0/me', '/cloud/v0/me', undefined, '/cloudagents/{path}'],
  ];
  for (const [whom, path, heardAt, body, name] of calls)
    it(`link the span of a caller to that of the call, and this to what ${whom} gets`, async () => {
      verifies('gateway.traces.linked');
      collector.spans.length = 0;
      const answer = await stand.ask(path, { ...bearer(key), traceparent, tracestate: 'a=1, b@c=2' }, body);
      assert.equal(answer.status, 200, answer.text);
      const { server, client } = await spansFor(answer.headers);
      assert.ok(client);
      assert.deepEqual([server.traceId, client.traceId, server.parentSpanId], [traceId, traceId, callerSpan]);
      assert.deepEqual([server.kind, client.kind], [2, 3]);
      if (whom !== 'the cloud-agents service') assert.equal(server.name, name);
      const heard = stand.heardAt(heardAt);
      assert.equal(sent(heard), `00-${traceId}-${client.spanId}-01`);
      assert.equal(heard?.headers['tracestate'], 'a=1,b@c=2');
      assert.ok(BigInt(client.startTimeUnixNano) >= BigInt(server.startTimeUnixNano));
      assert.ok(BigInt(client.endTimeUnixNano) <= BigInt(server.endTimeUnixNano));
    });

  for (const [what, headers] of [
    ['nothing', {}],
    ['another version', { traceparent: traceparent.replace(/^00/, 'ff') }],
    ['upper-case digits', { traceparent: traceparent.toUpperCase() }],
    ['a span of zeros', { traceparent: `00-${traceId}-${'0'.repeat(16)}-01` }],
    ['more than the version has', { traceparent: `${traceparent}-00` }],
  ] as const)
    it(`begin anew where a caller says ${what}`, async () => {
      verifies('gateway.traces.strict');
      const asked = { ...bearer(key), ...headers, tracestate: 'a=1' };
      const answer = await stand.ask('/echo/mcp', asked, toolCall('echo'));
      const { server, client } = await spansFor(answer.headers);
      assert.notEqual(server.traceId, traceId);
      assert.equal(server.parentSpanId || undefined, undefined);
      const heard = stand.heardAt('/mcp/echo');
      assert.equal(sent(heard), `00-${server.traceId}-${client?.spanId}-01`);
      assert.equal(heard?.headers['tracestate'], undefined);
    });

  /** A call whose message itself names the caller's span. */
  const withMeta = (tool: string) => {
    const body = toolCall(tool) as { params: object };
    return { ...body, params: { ...body.params, _meta: { traceparent, tracestate: 'a=1', other: 1 } } };
  };

  it('reach a server over stdio in _meta, in place of what the caller said there', async () => {
    verifies('gateway.traces.meta');
    collector.spans.length = 0;
    const answer = await stand.ask('/program/mcp', bearer(key), withMeta('meta'));
    const { server, client } = await spansFor(answer.headers);
    assert.deepEqual([server.traceId, server.parentSpanId], [traceId, callerSpan]);
    const { result } = answer.json as { result: { content: [{ text: string }] } };
    assert.deepEqual(JSON.parse(result.content[0].text), {
      ...{ traceparent: `00-${traceId}-${client?.spanId}-01`, tracestate: 'a=1', other: 1 },
    });
  });

  it('go on from the span in _meta of a message, before that in its headers, and reach a server over HTTP in both', async () => {
    verifies('gateway.traces.meta');
    collector.spans.length = 0;
    const headers = { ...bearer(key), traceparent: `00-${'9'.repeat(32)}-${callerSpan}-01` };
    const answer = await stand.ask('/echo/mcp', headers, withMeta('echo'));
    const { server, client } = await spansFor(answer.headers);
    assert.deepEqual([server.traceId, server.parentSpanId], [traceId, callerSpan]);
    const heard = stand.heardAt('/mcp/echo');
    const { params } = JSON.parse(String(heard?.body)) as { params: { _meta: object } };
    assert.equal(sent(heard), `00-${traceId}-${client?.spanId}-01`);
    assert.deepEqual(params._meta, { other: 1, traceparent: sent(heard), tracestate: 'a=1' });
  });

  it('leave out calls that their callers do not sample, and say so to the backend', async () => {
    verifies('gateway.traces.sampled');
    const other = '1af7651916cd43dd8448eb211c80319d';
    const asked = { ...bearer(key), traceparent: `00-${other}-${callerSpan}-00` };
    await stand.ask('/echo/mcp', asked, toolCall('echo'));
    assert.match(sent(stand.heardAt('/mcp/echo')) ?? '', new RegExp(`^00-${other}-[0-9a-f]{16}-00$`));
    const later = await stand.ask('/echo/mcp', bearer(key), toolCall('echo'));
    await spansFor(later.headers);
    assert.deepEqual(spansOf(other), []);
  });

  it('say why a call failed by its code alone, and have no span of a backend that was not asked', async () => {
    verifies('gateway.traces.linked');
    const answer = await stand.ask('/echo/mcp', bearer(key), toolCall('other'));
    const { server, client } = await spansFor(answer.headers, 1);
    assert.deepEqual([server.status.code, server.status.message, client], [2, 'forbidden', undefined]);
    assert.equal(server.attributes['error.type'], 'forbidden');
  });

  it('come with metrics under the names of the conventions, and the credential of the collector', async () => {
    verifies('gateway.traces.metrics');
    await until('metrics are exported', () => collector.metrics.length >= 4);
    const find = (name: string) => collector.metrics.find((it) => it.name === name);
    const tool = find('mcp.server.operation.duration')?.histogram?.dataPoints.find(
      (it) => it.attributes['gen_ai.tool.name'] === 'echo' && it.attributes['error.type'] === undefined,
    );
    assert.ok(Number(tool?.count) > 0);
    assert.equal(tool?.attributes['mcp.method.name'], 'tools/call');
    assert.ok(find('gen_ai.client.operation.duration')?.histogram?.dataPoints.length);
    assert.ok(find('gateway.calls')?.sum?.dataPoints.length);
    for (const { headers } of collector.requests) assert.equal(headers.authorization, 'Bearer of-the-collector');
    assert.deepEqual([...new Set(collector.requests.map((it) => it.path))].sort(), ['/v1/metrics', '/v1/traces']);
  });

  it('do not disturb calls where the collector refuses them, and the log says so', async () => {
    verifies('gateway.traces.apart');
    collector.status = 400;
    const before = collector.requests.length;
    const answer = await stand.ask('/echo/mcp', bearer(key), toolCall('echo'));
    assert.equal(answer.status, 200);
    await until('an export was refused', () => collector.requests.length > before);
    await until('the log says so', () => stand.logLines.some((it) => it.includes('Telemetry could not be exported')));
    assert.ok(!stand.logLines.join('').includes('of-the-collector'));
    collector.status = 200;
  });

  it('go nowhere and add no header where no collector is configured', async () => {
    verifies('gateway.traces.off');
    const plain = await openStand();
    try {
      await plain.register({ alias: 'echo' });
      const asked = { ...bearer(await plain.addKey()), traceparent };
      assert.equal((await plain.ask('/echo/mcp', asked, toolCall('echo'))).status, 200);
      const heard = plain.heardAt('/mcp/echo');
      assert.equal(sent(heard), undefined);
      assert.doesNotMatch(String(heard?.body), /_meta/);
    } finally {
      await plain.close();
    }
  });
});
