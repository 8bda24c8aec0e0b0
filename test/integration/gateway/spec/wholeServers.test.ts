import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { ObjectPermission } from '../../../../sidecar/protocol/gateway/objectPermission.ts';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { speakMcp, twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, rpcBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const results: Readonly<Record<string, object>> = {
  'prompts/list': { prompts: [{ name: 'greet' }] },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] },
  'resources/list': { resources: [{ uri: 'note://1', name: 'one' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'notes' }] },
  'resources/read': { contents: [{ uri: 'note://1', text: 'secret' }] },
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  'completion/complete': { completion: { values: ['one'] } },
};

/** A server with one tool, one prompt and one resource. */
function speak(heard: Heard, response: ServerResponse): void {
  const { id, method = '' } = JSON.parse(heard.body.toString() || '{}') as { id?: unknown; method?: string };
  if (method === 'initialize') {
    const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} };
    const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'notes', version: '1' } };
    return void response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
  const result = results[method];
  if (!result) return speakMcp(heard, response);
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const echo = { 'id-a': ['echo'] };
type Levels = Partial<Record<'key' | 'team' | 'endUser' | 'org', ObjectPermission>>;
const grants: readonly [says: string, Levels, opensAll: boolean][] = [
  ['the server', { key: { mcp_servers: ['a'] } }, true],
  ['a group of servers', { key: { mcp_access_groups: ['g'] } }, true],
  ['all servers', { key: { mcp_servers: ['all-proxy-mcpservers'] } }, true],
  ['the server and a toolset of it', { key: { mcp_servers: ['a'], mcp_toolsets: ['set'] } }, true],
  ['what the team has, which is the server', { team: { mcp_servers: ['a'] } }, true],
  ['one tool', { key: { mcp_tool_permissions: echo } }, false],
  ['the server, narrowed to one tool', { key: { mcp_servers: ['a'], mcp_tool_permissions: echo } }, false],
  ['a toolset', { key: { mcp_toolsets: ['set'] } }, false],
  [
    'the server, of which the team has one tool',
    { key: { mcp_servers: ['a'] }, team: { mcp_tool_permissions: echo } },
    false,
  ],
  [
    'the server, of which the end user has one tool',
    { key: { mcp_servers: ['a'] }, endUser: { mcp_tool_permissions: echo } },
    false,
  ],
  [
    'the server, of which the organisation has one tool',
    { key: { mcp_servers: ['a'] }, org: { mcp_tool_permissions: echo } },
    false,
  ],
];

const at = '2026-01-01T00:00:00.000Z';

describe('the resources and prompts of a server', () => {
  let stand: Stand;
  let count = 0;

  before(async () => {
    stand = await openStand({ tools: twoTools, defaultAccess: 'none' });
    stand.backend.answer = speak;
    await stand.register({ alias: 'a', server_id: 'id-a', mcp_access_groups: ['g'] });
    const tools = [{ server_id: 'id-a', tool_name: 'echo' }];
    await stand.manage('POST', '/v1/mcp/toolset', { toolset_name: 'set', tools });
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  async function callerWith({ key, team, endUser, org }: Levels): Promise<Record<string, string>> {
    const { store } = stand.gateway;
    const id = `whole-${(count += 1)}`;
    const stamps = { created_at: at, updated_at: at };
    if (org) await store.organization.insert({ organization_id: id, object_permission: org, ...stamps });
    if (team) await store.team.insert({ team_id: id, object_permission: team, ...stamps });
    if (endUser) await store.end_user.insert({ user_id: id, object_permission: endUser, ...stamps });
    const own = await stand.addKey({
      ...(key && { object_permission: key }),
      ...(team && { team_id: id }),
      ...(org && { organization_id: id }),
    });
    return { ...bearer(own), ...(endUser && { 'x-gateway-end-user-id': id }) };
  }

  /** Each way to them, as a client asks behind one address. */
  const ways = (prefix: string): readonly [method: string, params: object][] => [
    ['prompts/list', {}],
    ['prompts/get', { name: `${prefix}greet` }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'note://1' }],
    ['resources/read', { uri: 'note://of-the-template' }],
    ['resources/subscribe', { uri: 'note://1' }],
    ['resources/unsubscribe', { uri: 'note://1' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: `${prefix}greet` }, argument: { name: 'x', value: '' } },
    ],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'note://{id}' }, argument: { name: 'id', value: '' } }],
  ];
  /** Whether an answer shows anything. */
  function shows(json: unknown): boolean {
    const { result } = json as { result?: Record<string, unknown> };
    if (!result) return false;
    const lists = Object.values(result).filter(Array.isArray);
    return lists.length === 0 || lists.some((it) => it.length > 0);
  }

  for (const [says, levels, opensAll] of grants) {
    for (const [path, prefix] of [
      ['/mcp', 'a__'],
      ['/a/mcp', ''],
    ] as const) {
      it(`are ${opensAll ? 'open' : 'closed'} at ${path} for a key that was given ${says}, and its tool is open`, async () => {
        verifies('gateway.access.whole-server');
        const caller = await callerWith(levels);
        for (const [method, params] of ways(prefix)) {
          const { json, status } = await stand.ask(path, caller, rpcBody(method, params));
          assert.deepEqual(
            [status, shows(json)],
            [200, opensAll],
            `${method} ${JSON.stringify(params)}: ${JSON.stringify(json)}`,
          );
        }
        const reached = stand
          .calls()
          .filter((it) => /"method":"(?:prompts|resources|completion)/.test(it.body.toString()));
        assert.equal(reached.length > 0, opensAll, 'what the server was asked');
        const called = await stand.ask(path, caller, toolCall(`${prefix}echo`, { said: 'hi' }));
        assert.match(called.text, /said/);
      });
    }
  }

  it('are closed behind the address of a toolset, also for an administrator', async () => {
    verifies('gateway.access.whole-server');
    const caller = bearer(await stand.addKey({ role: 'proxy_admin' }));
    for (const [method, params] of ways('a__')) {
      const { json } = await stand.ask('/toolset/set/mcp', caller, rpcBody(method, params));
      assert.equal(shows(json), false, method);
    }
    assert.equal(stand.calls().length, 0);
  });

  it('are closed at the address of one server for a method that nobody knows', async () => {
    verifies('gateway.access.whole-server');
    const caller = await callerWith({ key: { mcp_tool_permissions: echo } });
    for (const method of [
      'resources/directory/read',
      'resources/write',
      'prompts/render',
      'files/read',
      'tasks/list',
    ]) {
      const { json } = await stand.ask('/a/mcp', caller, rpcBody(method, { uri: 'note://1' }));
      assert.ok((json as { error?: unknown }).error, method);
    }
    assert.equal(stand.calls().length, 0);
  });

  it('close with a grant that shrinks to one tool while a session is open', async () => {
    verifies('gateway.access.whole-server');
    const { manage } = stand;
    const made = await manage('POST', '/key/generate', { object_permission: { mcp_servers: ['a'] } });
    const client = await stand.mcp('/mcp', String(made['key'])).initialized();
    const before = await client.request('resources/read', { uri: 'note://1' });
    await manage('POST', '/key/update', { key: made['key'], object_permission: { mcp_tool_permissions: echo } });
    stand.backend.heard.splice(0);
    const later = await client.request('resources/read', { uri: 'note://1' });
    assert.deepEqual([before.json.result !== undefined, later.json.error?.code], [true, -32002]);
    assert.equal(stand.calls().length, 0);
  });

  it('stay closed to a calling agent with one tool where the same key found them before without it', async () => {
    verifies('gateway.access.whole-server');
    const stamps = { created_at: at, updated_at: at };
    const agent = { agent_id: 'narrow', agent_name: 'narrow', agent_card_params: {}, ...stamps };
    await stand.gateway.store.agent.insert({ ...agent, object_permission: { mcp_tool_permissions: echo } });
    const caller = await callerWith({ key: { mcp_servers: ['a'] } });
    const narrow = { ...caller, 'x-gateway-agent-id': 'narrow' };
    const read = rpcBody('resources/read', { uri: 'note://1' });
    assert.equal(shows((await stand.ask('/mcp', caller, read)).json), true);
    stand.backend.heard.splice(0);
    assert.equal(shows((await stand.ask('/mcp', narrow, read)).json), false);
    assert.equal(stand.calls().length, 0);
    assert.match((await stand.ask('/mcp', narrow, toolCall('a__echo', { said: 'hi' }))).text, /said/);
  });

  const plain = (method: string) => `{"jsonrpc":"2.0","method":"notifications/${method}"}`;
  /** Each way in which a server may write what happened to its resources and prompts, beside what is for everybody. */
  type Writing = readonly [says: string, line: string, isForPart: boolean];
  const writings: readonly Writing[] = [
    ['of its tools', plain('tools/list_changed'), true],
    ['of its resources', plain('resources/updated'), false],
    ['of its prompts', plain('prompts/list_changed'), false],
    ['with an escaped name', plain('resources/updated').replace('method', String.raw`m\u0065thod`), false],
    ['with an escaped value', plain('prompts/list_changed').replace('prompts', String.raw`pr\u006fmpts`), false],
    ['with an escaped slash', plain('resources/updated').replaceAll('/', String.raw`\/`), false],
  ];
  /** What readers understand differently reaches nobody: the answer to a request that holds such a line ends with it. */
  const unclear: readonly Writing[] = [
    ['with the name twice', plain('tools/x').replace('{', '{"method":"notifications/resources/updated",'), false],
    [
      'with a second name that some readers take for the same',
      plain('tools/y').replace('{', '{"Method":"notifications/resources/updated",'),
      false,
    ],
  ];
  for (const [path, prefix] of [
    ['/mcp', 'a__'],
    ['/a/mcp', ''],
  ] as const) {
    it(`are in no notification at ${path} for a key that was given one tool, however the server writes it`, async () => {
      verifies('gateway.access.whole-server', 'gateway.messages.own-streams');
      for (const isWhole of [true, false]) {
        let tell: ServerResponse | undefined;
        stand.backend.answer = (heard, response) => {
          if (heard.method !== 'GET') return speak(heard, response);
          response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
          tell = response;
        };
        const client = await stand.mcp(path, await keyFor(isWhole)).initialized();
        await client.call(`${prefix}echo`);
        const stream = await client.send('GET', { accept: 'text/event-stream' });
        await until('the server has a stream', () => tell !== undefined);
        await showsItsPart(isWhole, [...writings, ...unclear], tell as unknown as ServerResponse, stream);
      }
      stand.backend.answer = speak;
    });

    it(`are in no notification along with a call at ${path} for a key that was given one tool`, async () => {
      verifies('gateway.access.whole-server');
      stand.backend.answer = (heard, response) => {
        const { id, method } = JSON.parse(heard.body.toString()) as Question;
        if (method !== 'tools/call') return speak(heard, response);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const [, line] of writings) response.write(`data: ${line}\n\n`);
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
      };
      for (const isWhole of [true, false]) {
        const { text } = await stand.ask(path, bearer(await keyFor(isWhole)), toolCall(`${prefix}echo`));
        isFor(isWhole, writings, text);
        assert.match(text, /"content":\[\]/);
      }
      stand.backend.answer = speak;
    });

    it(`are in no notification of a subscription at ${path} for a key that was given one tool`, async () => {
      verifies('gateway.access.whole-server');
      for (const isWhole of [true, false]) {
        let tell: ServerResponse | undefined;
        let asked: unknown;
        stand.backend.answer = ({ body }, response) => {
          const { id, method, params } = JSON.parse(body.toString()) as Question;
          const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} };
          if (method !== 'subscriptions/listen')
            return void response
              .setHeader('content-type', 'application/json')
              .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
          asked = params?.notifications;
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(`data: ${plain('subscriptions/acknowledged')}\n\n`);
          tell = response;
        };
        const wanted = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['note://1'] };
        const client = stand.mcp(path, await keyFor(isWhole));
        const stream = await client.modernStream('subscriptions/listen', { notifications: wanted });
        await until('the server has a subscription', () => tell !== undefined);
        assert.deepEqual(asked, isWhole ? wanted : { toolsListChanged: true });
        await showsItsPart(isWhole, writings, tell as unknown as ServerResponse, stream);
      }
      stand.backend.answer = speak;
    });
  }

  interface Question {
    readonly id?: unknown;
    readonly method?: string;
    readonly params?: { readonly notifications?: unknown };
  }
  const keyFor = (isWhole: boolean) =>
    stand.addKey({ object_permission: isWhole ? { mcp_servers: ['a'] } : { mcp_tool_permissions: echo } });

  /** Writes what happened on the stream of the server, and looks at what of it arrives. */
  async function showsItsPart(
    isWhole: boolean,
    lines: readonly Writing[],
    tell: ServerResponse,
    stream: Response,
  ): Promise<void> {
    for (const [, line] of lines) tell.write(`data: ${line}\n\n`);
    tell.end(`data: ${plain('end')}\n\n`);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('notifications/end')) text += (await reader.read()).value ?? 'notifications/end';
    await reader.cancel();
    isFor(isWhole, lines, text);
  }

  function isFor(isWhole: boolean, lines: readonly Writing[], text: string): void {
    for (const [says, line, isForPart] of lines) {
      const isClear = !unclear.some((it) => it[1] === line);
      const isOpen = isClear && (isWhole || isForPart);
      assert.equal(text.includes(`data: ${line}\n`), isOpen, `${says}, ${isWhole ? 'whole' : 'one tool'}`);
    }
  }
});
