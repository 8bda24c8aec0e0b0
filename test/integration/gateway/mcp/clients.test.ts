import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { projectRoot } from '../../../support/cache.ts';
import { type TestGateway, testGateway, textOf } from '../../../support/mcp/gateway.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';
import { type SseFixture, sseFixture } from '../../../support/mcp/sseFixture.ts';
import { until } from '../../../support/until.ts';

const withKey: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('authorization', 'Bearer key-1');
  return fetch(url, { ...init, headers });
};

/** Real clients of both eras against real servers over all three transports. */
describe('MCP clients at the gateway', () => {
  let http: HttpFixture;
  let sse: SseFixture;
  let gateway: TestGateway;
  const clients: Client[] = [];

  beforeEach(async () => {
    http = await httpFixture({ name: 'http' });
    sse = await sseFixture('sse');
    const args = [join(projectRoot, 'test', 'support', 'mcp', 'stdioFixture.child.ts'), 'stdio'];
    gateway = await testGateway({
      servers: [
        { server_id: 'id-http', alias: 'web', transport: 'http', url: http.url },
        { server_id: 'id-sse', alias: 'old', transport: 'sse', url: sse.url },
        { server_id: 'id-stdio', alias: 'local', transport: 'stdio', command: process.execPath, args },
      ],
    });
  });
  afterEach(async () => {
    await Promise.allSettled(clients.splice(0).map((it) => it.close()));
    await until('every call is settled and on record', () => gateway.unfinished() === 0);
    await gateway.close();
    await http.close();
    await sse.close();
  });

  async function connect(path: string, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { sampling: {}, elicitation: {}, roots: {} }, versionNegotiation: { mode } },
    );
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'sampled' },
    }));
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept',
      content: { response: 'yes', name: 'Ada' },
    }));
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///here' }] }));
    clients.push(client);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${gateway.base}${path}`), {
        requestInit: { headers: { authorization: 'Bearer key-1' } },
      }),
    );
    return client;
  }
  const call = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
    textOf(await client.callTool({ name, arguments: args }));

  it('see the names of one server as they are, and its own introduction', async () => {
    const client = await connect('/web/mcp');
    const { tools } = await client.listTools();
    assert.ok(tools.some((it) => it.name === 'test_simple_text'));
    assert.equal(client.getServerVersion()?.name, 'http');
    assert.equal(client.getInstructions(), 'How to use http.');
    assert.equal(await call(client, 'echo', { text: 'hi' }), 'hi');
  });

  it('see the tools of all servers under prefixed names, and reach each', async () => {
    const client = await connect('/mcp');
    const servers = ['web', 'old', 'local'];
    // A program that takes long to start is not in the first list.
    await until('the tools of each are in the list', async () => {
      const names = (await client.listTools()).tools.map((it) => it.name);
      return servers.every((alias) => names.includes(`${alias}__echo`));
    });
    for (const alias of servers) assert.equal(await call(client, `${alias}__echo`, { text: alias }), alias);
  });

  it('shake hands with a server once, however many calls follow', async () => {
    const client = await connect('/web/mcp');
    for (let n = 0; n < 5; n += 1) await call(client, 'echo', { text: 'x' });
    assert.equal(http.seen.filter((it) => it.method === 'initialize').length, 1);
    assert.equal(http.calls.length, 5);
  });

  it('answer questions of a server behind an address of several', async () => {
    const client = await connect('/mcp');
    assert.equal(await call(client, 'web__test_roots'), 'file:///here');
    assert.match(await call(client, 'local__test_sampling', { prompt: 'x' }), /sampled/);
    assert.match(await call(client, 'old__test_elicitation', { message: 'x' }), /yes/);
  });

  it('answer questions of the one server of an address', async () => {
    const client = await connect('/web/mcp');
    assert.match(await call(client, 'test_sampling', { prompt: 'x' }), /sampled/);
    assert.match(await call(client, 'test_elicitation', { message: 'x' }), /yes/);
  });

  it('answer questions that come on the stream of their session', async () => {
    const streams = () => http.seen.filter((it) => it.httpMethod === 'GET').length;
    for (const [path, prefix] of [
      ['/web/mcp', ''],
      ['/mcp', 'web__'],
    ] as const) {
      const before = streams();
      const client = await connect(path);
      await call(client, `${prefix}echo`, { text: 'x' });
      await until('the stream is open', () => streams() > before);
      assert.match(await call(client, `${prefix}test_elicitation_aside`), /yes/);
    }
  });

  it('speak to the one server of an address in the version that their headers name', async () => {
    const raw = await new RawClient(`${gateway.base}/web/mcp`).initialized();
    await raw.request('tools/list', {}, { 'mcp-protocol-version': '2025-03-26' });
    await raw.request('tools/list');
    const seen = http.seen.filter((it) => it.method === 'tools/list').map((it) => it.headers['mcp-protocol-version']);
    assert.deepEqual(seen, ['2025-03-26', '2025-11-25']);
    const refused = await raw.request('tools/list', {}, { 'mcp-protocol-version': '1999-01-01' });
    assert.equal(refused.status, 400);
    assert.match(refused.json.error?.message ?? '', /Unsupported protocol version/);
  });

  it('get a list of one server in the form in which it answers: a stream from this one', async () => {
    const raw = await new RawClient(`${gateway.base}/web/mcp`).initialized();
    const { headers, json } = await raw.request('tools/list');
    assert.equal(headers.get('content-type'), 'text/event-stream');
    assert.ok(json.result?.tools?.some((it) => it.name === 'echo'));
  });

  it('hear progress and log lines before the answer', async () => {
    const client = await connect('/mcp');
    const progress: number[] = [];
    await client.callTool(
      { name: 'web__test_tool_with_progress' },
      { onprogress: (it) => void progress.push(it.progress) },
    );
    assert.deepEqual(progress, [0, 50, 100]);
    const lines: unknown[] = [];
    client.setNotificationHandler('notifications/message', (note) => void lines.push(note.params.data));
    await client.setLoggingLevel('debug');
    await call(client, 'local__test_tool_with_logging');
    await until('three lines', () => lines.length === 3);
  });

  it('read resources by their own addresses, and complete and get prompts by prefixed names', async () => {
    const client = await connect('/mcp');
    const { resources } = await client.listResources();
    assert.ok(resources.some((it) => it.uri === 'test://static-text' && it.name === 'web__static-text'));
    const { contents } = await client.readResource({ uri: 'test://template/7/data' });
    assert.match(JSON.stringify(contents), /templateTest/);
    const prompt = await client.getPrompt({
      name: 'local__test_prompt_with_arguments',
      arguments: { arg1: 'a', arg2: 'b' },
    });
    assert.match(JSON.stringify(prompt.messages), /arg1='a'/);
    const ref = { type: 'ref/prompt' as const, name: 'web__test_prompt_with_arguments' };
    const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'par' } });
    assert.deepEqual(completion.values, ['paris', 'park', 'party']);
  });

  it('are told when the tools of a server change', async () => {
    for (const path of ['/web/mcp', '/mcp']) {
      const client = await connect(path);
      let changes = 0;
      client.setNotificationHandler('notifications/tools/list_changed', () => void (changes += 1));
      const tool = path === '/mcp' ? 'local__test_trigger_tool_change' : 'test_trigger_tool_change';
      await until('a change is heard', async () => {
        await call(client, tool);
        return changes > 0;
      });
    }
  });

  it('are told when what they may use changes', async () => {
    const client = await connect('/mcp');
    let changes = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void (changes += 1));
    await until('a change is heard', () => {
      gateway.front.listsChanged();
      return changes > 0;
    });
  });

  it('cancel a call at its server', async () => {
    const client = await connect('/web/mcp');
    const stop = new AbortController();
    const hanging = client.callTool({ name: 'test_hang' }, { signal: stop.signal });
    await until('the call arrived', () => http.seen.some((it) => it.text.includes('test_hang')));
    stop.abort();
    await assert.rejects(hanging);
    await until('the server was told', () => http.seen.some((it) => it.method === 'notifications/cancelled'));
  });

  it('go on in their session after the gateway was started again, without a handshake', async () => {
    const client = await connect('/web/mcp');
    await call(client, 'echo', { text: 'before' });
    await gateway.restart();
    assert.equal(await call(client, 'echo', { text: 'after' }), 'after');
    assert.equal(http.seen.filter((it) => it.method === 'initialize').length, 1);
    const several = await connect('/mcp');
    await gateway.restart();
    assert.equal(await call(several, 'old__echo', { text: 'after' }), 'after');
  });

  it('get a new session of a server that forgot the old one, and the call runs once', async () => {
    const client = await connect('/web/mcp');
    http.forget();
    assert.equal(await call(client, 'echo', { text: 'again' }), 'again');
    assert.deepEqual(http.calls, ['echo']);
  });

  it('go on after a server hung up in the middle of a call, on both kinds of address', async () => {
    assert.equal(await call(await connect('/web/mcp'), 'test_reconnection'), 'Reconnected.');
    assert.equal(await call(await connect('/mcp'), 'web__test_reconnection'), 'Reconnected.');
    const resumed = http.seen.filter((it) => it.headers['last-event-id'] !== undefined);
    assert.equal(resumed.length, 2);
  });

  it('of the newer era are served as such by one server, with no session', async () => {
    const client = await connect('/web/mcp', 'auto');
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    assert.equal(await call(client, 'echo', { text: 'new' }), 'new');
    assert.ok(!http.seen.some((it) => it.method === 'initialize'));
    assert.match(await call(client, 'test_input_required'), /round-1: hello Ada/);
    const sent = http.seen.find((it) => it.method === 'tools/call');
    assert.equal(sent?.headers['mcp-name'], 'echo');
  });

  it('of the newer era are served by stdio servers as well', async () => {
    const client = await connect('/local/mcp', 'auto');
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    assert.equal(await call(client, 'echo', { text: 'new' }), 'new');
  });

  it('of the newer era fall back where one of several servers is older', async () => {
    const client = await connect('/mcp', 'auto');
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
    assert.equal(await call(client, 'web__echo', { text: 'x' }), 'x');
  });

  it('of the newer era see several servers that all speak it, with names and state put right', async () => {
    const client = await connect('/mcp/web,local', 'auto');
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    const names = (await client.listTools()).tools.map((it) => it.name);
    assert.ok(names.includes('web__echo') && names.includes('local__echo'));
    assert.equal(await call(client, 'web__echo', { text: 'x' }), 'x');
    assert.equal(http.seen.findLast((it) => it.method === 'tools/call')?.headers['mcp-name'], 'echo');
    assert.match(await call(client, 'local__test_input_required'), /round-1: hello Ada/);
    assert.match(await call(client, 'web__test_input_required'), /round-1: hello Ada/);
  });

  it('of the newer era hear of what they subscribed to, from servers and from the gateway', async () => {
    for (const path of ['/web/mcp', '/mcp/web,local']) {
      const client = await connect(path, 'auto');
      const heard: string[] = [];
      client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'));
      client.setNotificationHandler('notifications/prompts/list_changed', () => void heard.push('prompts'));
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
      const uri = 'test://watched-resource';
      const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
      assert.equal(subscription.honoredFilter.toolsListChanged, true);
      http.modern.notify.promptsChanged();
      http.modern.notify.resourceUpdated(uri);
      await until('the server was heard', () => heard.includes(uri));
      gateway.front.listsChanged();
      await until('the gateway was heard', () => heard.includes('tools'));
      assert.ok(!heard.includes('prompts'));
      await subscription.close();
    }
  });

  it('of the first transport are served at /sse, with questions and notifications', async () => {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///here' }] }));
    clients.push(client);
    const requestInit = { headers: { authorization: 'Bearer key-1' } };
    await client.connect(new SSEClientTransport(new URL(`${gateway.base}/sse`), { requestInit, fetch: withKey }));
    assert.equal(await call(client, 'web__echo', { text: 'x' }), 'x');
    assert.equal(await call(client, 'old__test_roots'), 'file:///here');
    const lines: unknown[] = [];
    client.setNotificationHandler('notifications/message', (note) => void lines.push(note.params.data));
    await client.setLoggingLevel('debug');
    await call(client, 'local__test_tool_with_logging');
    await until('three lines', () => lines.length === 3);
    let changes = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void (changes += 1));
    await until('a change is heard', () => {
      gateway.front.listsChanged();
      return changes > 0;
    });
    assert.equal(gateway.records.find((it) => it.call_type === 'mcp:tools/call')?.endpoint, '/sse');
  });

  it('leave exactly one record for each request', async () => {
    const client = await connect('/web/mcp');
    await call(client, 'echo', { text: 'x' });
    await call(client, 'test_error_handling');
    await client.listTools();
    const seen = gateway.records.map((it) => `${it.endpoint} ${it.call_type} ${it.model} ${it.status}`);
    assert.deepEqual(seen, [
      '/{server}/mcp mcp:initialize MCP: initialize success',
      '/{server}/mcp mcp:tools/call MCP: echo success',
      '/{server}/mcp mcp:tools/call MCP: test_error_handling success',
      '/{server}/mcp mcp:tools/list MCP: tools/list success',
    ]);
    assert.equal(gateway.records[1]?.tool, 'web/echo');
  });
});
