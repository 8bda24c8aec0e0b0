import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'mocha';
import { Guardrails } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { speakAll } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { type Answer, bearer, isRefusal, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import type { RawAnswer, RawClient } from '../../../support/mcp/rawClient.ts';
import { verifies } from '../../../support/verifies.ts';
import { TwoServers } from './twoServers.ts';

interface Found {
  readonly tools: readonly { readonly name: string; readonly inputSchema?: object }[];
  readonly message?: string;
}
const metaTools = ['call_tool', 'search_tools'];
const textOf = (json: unknown): string =>
  (json as { result?: { content?: { text?: string }[] } }).result?.content?.[0]?.text ?? '';
const foundIn = (json: unknown): Found => JSON.parse(textOf(json)) as Found;
const search = (query: string, more: object = {}) => toolCall('search_tools', { query, ...more });
const through = (name: unknown, args?: unknown) =>
  toolCall('call_tool', { name, ...(args !== undefined && { arguments: args }) });

describe('tool search at every address', () => {
  const two = new TwoServers();
  const eras: Readonly<
    Record<
      string,
      (client: RawClient) => Promise<(method: string, params?: Record<string, unknown>) => Promise<RawAnswer>>
    >
  > = {
    'without a session': async (client) => (method, params) => client.request(method, params),
    'in a session': async (client) => {
      const session = await client.initialized();
      return (method, params) => session.request(method, params);
    },
    'in the modern era': async (client) => (method, params) => client.modern(method, params),
  };
  const addresses = { '/mcp': 'web__', '/web/mcp': '', '/toolset/readers/mcp': 'web__', '/web,other/mcp': 'web__' };

  for (const [era, ask] of Object.entries(eras))
    it(`shows two tools, finds a tool and calls it, ${era}`, async () => {
      verifies('gateway.tool-search.list', 'gateway.tool-search.find', 'gateway.tool-search.call');
      await two.start({ options: { toolSearchAbove: 5 } });
      for (const [address, prefix] of Object.entries(addresses)) {
        const request = await ask(two.at(address));
        const call = (name: string, args: object) => request('tools/call', { name, arguments: args });
        const { json: list } = await request('tools/list');
        assert.deepEqual(list.result?.tools?.map((it) => it.name).toSorted(), metaTools, address);
        assert.equal('nextCursor' in (list.result ?? {}), false);
        const { json } = await call('search_tools', { query: 'answers with what it got' });
        const [first] = foundIn(json).tools;
        assert.equal(first?.name, `${prefix}echo`, address);
        assert.ok(first.inputSchema && 'properties' in first.inputSchema);
        const { json: answer } = await call('call_tool', { name: first.name, arguments: { text: `from ${address}` } });
        assert.equal(textOf(answer), `from ${address}`);
        const { json: direct } = await call(first.name, { text: 'directly' });
        assert.equal(textOf(direct), 'directly');
        if (era.includes('modern'))
          assert.deepEqual([json.result?.['resultType'], answer.result?.['resultType']], ['complete', 'complete']);
      }
    });

  it('leaves lists as they are that are short enough, and all of them without the setting', async () => {
    verifies('gateway.tool-search.list');
    for (const options of [{ toolSearchAbove: 1_000 }, {}]) {
      await two.start({ options });
      for (const address of Object.keys(addresses)) {
        const { json } = await two.at(address).request('tools/list');
        assert.ok((json.result?.tools?.length ?? 0) > 10, address);
      }
    }
    assert.match(
      textOf((await two.client.call('search_tools', { query: 'echo' })).json),
      /'search_tools' is not available/,
    );
    assert.match(
      textOf((await two.client.call('call_tool', { name: 'web__echo' })).json),
      /'call_tool' is not available/,
    );
  });
});

describe('tool search', () => {
  let stand: Stand;
  let all: string;
  let ids: string[];
  const clock = new StandingClock('2026-03-01T00:00:00Z');
  const schema = (...names: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((it) => [it, { type: 'string' }])),
  });
  const tools = [
    { name: 'read_file', description: 'Reads a file.', inputSchema: schema('path', 'secret') },
    { name: 'write_file', description: 'Writes a file.', inputSchema: schema('path', 'text') },
    { name: 'send_mail', description: 'Sends a message.', inputSchema: schema('to') },
  ];
  let extra: readonly object[] = [];
  const checking = Guardrails.parse([
    {
      guardrail_name: 'schemas',
      gateway_params: { guardrail: 'argument_schema', mode: 'pre_mcp_call', default_on: true },
    },
  ]);

  before(async () => {
    stand = await openStand({ clock, toolSearchAbove: 3, guardrails: () => checking });
    stand.backend.answer = (heard, response) =>
      heard.path === '/mcp/paged' && heard.body.includes('"tools/list"')
        ? answerPage(heard, response, tools)
        : speakAll(heard, response, heard.path === '/mcp/two' ? [...tools, ...extra] : tools);
    ids = [
      await stand.register({ alias: 'one', allowed_params: { read_file: ['path'] } }),
      await stand.register({ alias: 'two', mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.5 } } }),
    ];
    all = await stand.addKey();
  });
  after(() => stand.close());

  const ask = (key: string, body: object, path = '/mcp'): Promise<Answer> => stand.ask(path, bearer(key), body);
  const limitedTo = (server: string | undefined, names: readonly string[]) =>
    stand.addKey({
      object_permission: { mcp_servers: [String(server)], mcp_tool_permissions: { [String(server)]: [...names] } },
    });
  const listsAsked = () => stand.calls().filter((it) => it.body.includes('"tools/list"')).length;
  const callsMade = () => stand.calls().filter((it) => it.body.includes('"tools/call"')).length;

  it('counts the tools that the caller may use, and finds none of the others', async () => {
    verifies('gateway.tool-search.list', 'gateway.tool-search.find');
    const limited = await limitedTo(ids[0], ['read_file', 'send_mail']);
    assert.deepEqual(toolNames(await ask(all, rpcBody('tools/list'))), metaTools);
    assert.deepEqual(toolNames(await ask(limited, rpcBody('tools/list'))), ['one__read_file', 'one__send_mail']);
    const names = async (key: string) =>
      foundIn((await ask(key, search('file'))).json)
        .tools.map((it) => it.name)
        .toSorted();
    assert.deepEqual(await names(limited), ['one__read_file']);
    const ofBoth = await stand.addKey({
      object_permission: {
        mcp_servers: ids,
        mcp_tool_permissions: Object.fromEntries(ids.map((it) => [it, ['read_file', 'send_mail']])),
      },
    });
    assert.deepEqual(toolNames(await ask(ofBoth, rpcBody('tools/list'))), metaTools);
    assert.deepEqual(await names(ofBoth), ['one__read_file', 'two__read_file']);
    assert.deepEqual(await names(all), ['one__read_file', 'one__write_file', 'two__read_file', 'two__write_file']);
  });

  it('shows input schemas as the list does, without parameters that may not be given', async () => {
    verifies('gateway.tool-search.find');
    const { tools: found } = foundIn((await ask(all, search('one__read_file', { limit: 1 }))).json);
    assert.deepEqual(found, [{ ...tools[0], name: 'one__read_file', inputSchema: schema('path') }]);
  });

  const refusals: readonly [says: string, body: object, words: RegExp, code: string][] = [
    [
      'a tool that the caller may not use',
      through('one__write_file'),
      /'one__write_file' is not available/,
      'forbidden',
    ],
    ['a tool that does not exist', through('one__nothing'), /'one__nothing' is not available/, 'forbidden'],
    [
      'one of the two tools themselves',
      through('call_tool', { name: 'x' }),
      /'call_tool' is not available/,
      'forbidden',
    ],
    [
      'a parameter that is not allowed',
      through('one__read_file', { secret: 'x' }),
      /does not allow these arguments: secret/,
      'forbidden',
    ],
    ['no name', toolCall('call_tool', {}), /arguments are not valid: name/, 'invalid_params'],
    [
      'arguments that are no object',
      through('one__read_file', 'x'),
      /arguments are not valid: arguments/,
      'invalid_params',
    ],
    [
      'arguments in the wrong place',
      toolCall('call_tool', { name: 'one__read_file', path: 'x' }),
      /not valid: .*path/,
      'invalid_params',
    ],
    [
      'a member that other readers take for another',
      toolCall('call_tool', { name: 'one__read_file', NAME: 'x' }),
      /not valid: .*NAME/,
      'invalid_params',
    ],
    ['no query', toolCall('search_tools', {}), /arguments are not valid: query/, 'invalid_params'],
    ['a limit that is too high', search('file', { limit: 1_000 }), /arguments are not valid: limit/, 'invalid_params'],
  ];
  it('refuses in words what it cannot do, and sends none of it on', async () => {
    verifies('gateway.tool-search.call');
    const key = await limitedTo(ids[0], ['read_file']);
    const before = callsMade();
    const answers: Answer[] = [];
    for (const [says, body, words] of refusals) {
      const answer = await ask(key, body);
      assert.match(textOf(answer.json), words, says);
      assert.equal(isRefusal(answer), true, says);
      answers.push(answer);
    }
    for (const [at, [says, , , code]] of refusals.entries()) {
      const { status, error_code } = await stand.recordOf(answers[at]!);
      assert.deepEqual([status, error_code], ['failure', code], says);
    }
    assert.equal(callsMade(), before);
  });

  it('judges, charges, and records a call as the tool that is called', async () => {
    verifies('gateway.tool-search.call');
    const paths = { ok: '/tmp/x', bad: 7 };
    const bodies = Object.values(paths).flatMap((path) => [
      through('two__write_file', { path }),
      toolCall('two__write_file', { path }),
    ]);
    const answers: Answer[] = [];
    for (const body of [...bodies, search('file')]) answers.push(await ask(all, body));
    const seen: unknown[] = [];
    for (const answer of answers) {
      const { model, mcp_namespaced_tool_name: tool, spend, status } = await stand.recordOf(answer);
      seen.push([model, tool, spend, status]);
    }
    const texts = answers.map((it) => textOf(it.json));
    assert.deepEqual([texts[0], texts[2]], [texts[1], texts[3]]);
    const called = ['MCP: write_file', 'two/write_file', 0.5, 'success'];
    const refused = ['MCP: write_file', 'two/write_file', 0, 'failure'];
    assert.deepEqual(seen, [called, called, refused, refused, ['MCP: search_tools', null, 0, 'success']]);
  });

  it('keeps the limits of the caller', async () => {
    verifies('gateway.tool-search.call');
    const once = await stand.addKey({ rpm_limit: 1 });
    assert.match(textOf((await ask(once, through('one__send_mail', { to: 'x' }))).json), /"to":"x"/);
    for (const body of [through('one__send_mail'), search('mail')]) assert.equal((await ask(once, body)).status, 429);
    const poor = await stand.addKey({ max_budget: 0 });
    for (const body of [through('two__send_mail'), search('mail')]) assert.equal((await ask(poor, body)).status, 429);
  });

  it('agrees with the explanation of access, and with calls over REST', async () => {
    verifies('gateway.tool-search.call');
    const key = await limitedTo(ids[1], ['send_mail']);
    for (const tool of ['send_mail', 'read_file']) {
      const { allowed } = await stand.manage('POST', '/access/explain', { key, server_id: ids[1], tool });
      const { text } = await ask(key, through(`two__${tool}`, { to: 'me' }));
      assert.equal(/is not available/.test(text), !allowed, tool);
      const rest = (name: string, args: object) =>
        stand.ask('/mcp-rest/tools/call', bearer(key), { name, arguments: args });
      assert.equal((await rest('call_tool', { name: `two__${tool}` })).status, allowed ? 200 : 403);
      const { json } = await rest('search_tools', { query: tool });
      const names = (JSON.parse((json as { content: { text: string }[] }).content[0]?.text ?? '') as Found).tools;
      assert.deepEqual(
        names.map((it) => it.name),
        allowed ? ['two__send_mail'] : [],
      );
    }
    const { json } = await stand.ask('/mcp-rest/tools/list', bearer(all));
    assert.equal((json as { tools: object[] }).tools.length, 6);
  });

  it('asks for lists once a minute, and again when a registration, a right, or a server changes them', async () => {
    verifies('gateway.tool-search.fresh');
    const key = await stand.addKey();
    const names = async () => foundIn((await ask(key, search('file'))).json).tools.map((it) => it.name);
    await ask(key, rpcBody('tools/list'));
    const first = listsAsked();
    await names();
    assert.equal(listsAsked(), first, 'the list that was just shown is searched');
    clock.pass(59_000);
    await names();
    assert.equal(listsAsked(), first);
    clock.pass(2_000);
    await names();
    assert.equal(listsAsked(), first + 2);
    await stand.manage('PUT', '/v1/mcp/server', { server_id: ids[1], disallowed_tools: ['read_file'] });
    assert.equal((await names()).includes('two__read_file'), false);
    assert.equal(listsAsked(), first + 4);
    await stand.manage('PUT', '/v1/mcp/server', { server_id: ids[1], disallowed_tools: [] });
    assert.equal((await names()).includes('two__read_file'), true);
  });

  it('counts the tools of all pages of a server', async () => {
    verifies('gateway.tool-search.list');
    await stand.register({ alias: 'paged' });
    const key = await stand.addKey();
    const page = await ask(key, rpcBody('tools/list'), '/paged/mcp');
    assert.deepEqual(toolNames(page), metaTools);
    assert.equal('nextCursor' in (page.json as { result: object }).result, false);
    const { tools: found } = foundIn((await ask(key, search('mail'), '/paged/mcp')).json);
    assert.deepEqual(
      found.map((it) => it.name),
      ['mail_2', 'send_mail'],
    );
    const second = await ask(key, rpcBody('tools/list', { cursor: 'next' }), '/paged/mcp');
    assert.deepEqual(toolNames(second), ['mail_2']);
  });

  it('says so when nothing matches', async () => {
    assert.deepEqual(foundIn((await ask(all, search('zebra'))).json), {
      tools: [],
      message: 'No tool matches. Search again with other words.',
    });
  });

  it("leaves a server's own tool of the same name to the server, and shows its list as a whole", async () => {
    verifies('gateway.tool-search.own-names');
    extra = [{ name: 'search_tools', description: 'Of the server.', inputSchema: { type: 'object' } }];
    const key = await stand.addKey();
    clock.pass(120_000);
    assert.deepEqual(toolNames(await ask(key, rpcBody('tools/list'), '/two/mcp')), [
      'read_file',
      'search_tools',
      'send_mail',
      'write_file',
    ]);
    assert.match(stand.logLines.join('\n'), /one of its tools has the name of a tool of tool search/);
    assert.equal(textOf((await ask(key, search('file'), '/two/mcp')).json), '{"query":"file"}');
    // Among several servers its name has a prefix.
    assert.deepEqual(toolNames(await ask(key, rpcBody('tools/list'))), metaTools);
    assert.equal(textOf((await ask(key, through('two__search_tools', { query: 'file' }))).json), '{"query":"file"}');
  });

  it('sends the headers that a tool of the modern era wants of its arguments', async () => {
    verifies('gateway.tool-search.call');
    const region = { type: 'string', 'x-mcp-header': 'Region' };
    const inputSchema = { type: 'object', properties: { region } };
    await stand.register({ alias: 'newer' });
    stand.backend.answer = (heard, response) => speakModern(heard, response, { name: 'weather', inputSchema });
    const client = stand.mcp('/newer/mcp', all);
    const { json } = await client.modern('tools/call', {
      name: 'call_tool',
      arguments: { name: 'weather', arguments: { region: 'north' } },
    });
    assert.equal(textOf(json), 'sunny');
    const { headers } = stand.heardAt('/mcp/newer')!;
    assert.deepEqual([headers['mcp-name'], headers['mcp-param-region']], ['weather', 'north']);
  });
});

/** A list in two pages. */
function answerPage({ body }: Heard, response: ServerResponse, first: readonly object[]): void {
  const { id, params } = JSON.parse(body.toString()) as { id?: unknown; params?: { cursor?: string } };
  const isSecond = params?.cursor === 'next';
  const result = isSecond
    ? { tools: [{ name: 'mail_2', inputSchema: { type: 'object' } }] }
    : { tools: first, nextCursor: 'next' };
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** A server of the modern era with one tool. */
function speakModern(heard: Heard, response: ServerResponse, tool: object): void {
  const { id, method } = JSON.parse(heard.body.toString() || '{}') as { id?: unknown; method?: string };
  const results: Readonly<Record<string, object>> = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: 'newer', version: '1' },
    },
    'tools/list': { tools: [tool], ttlMs: 0, cacheScope: 'private' },
    'tools/call': { content: [{ type: 'text', text: 'sunny' }] },
  };
  const result = method === undefined ? undefined : results[method];
  const answer = result ? { result: { resultType: 'complete', ...result } } : { error: { code: -32601, message: 'x' } };
  response
    .writeHead(result ? 200 : 404, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
