import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { OfferedResult, OfferedTools } from '../../../../../sidecar/agents/provider.ts';
import { answerTo, BridgeMessage } from '../../../../../sidecar/host/mcp/bridgeAnswers.ts';
import { Challenge, challengeIn, fetchWithToken, requirementOf } from '../../../../../sidecar/host/mcp/challenge.ts';
import type { RunningServer } from '../../../../../sidecar/host/mcp/runningServer.ts';
import { readServerConfig } from '../../../../../sidecar/host/mcp/serverConfig.ts';
import { nameTools } from '../../../../../sidecar/host/mcp/toolNames.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';

/** A variable as such files write it. */
const v = (name: string) => `\${${name}}`;

describe('the definition of an MCP server', () => {
  const notAbsolute = 's.cwd: must be an absolute path because the server does not belong to a folder';
  const env = { HOME: '/home/me', KEY: 'k', EMPTY: '', _U1: 'u' };
  const read = (raw: unknown, folder: string | null = '/repo') =>
    readServerConfig({ name: 's', raw, ...(folder !== null && { folder }) }, env);
  const program = (more: object = {}) => ({ kind: 'stdio', command: 'x', args: [], env: {}, cwd: '/repo', ...more });

  for (const [raw, folder, expected] of [
    [{ command: 'x' }, '/repo', program()],
    [{ command: 'x' }, null, { kind: 'stdio', command: 'x', args: [], env: {} }],
    [{ command: 'x', url: 'https://a.example' }, '/repo', program()],
    [
      { type: 'http', command: 'x', url: 'https://a.example' },
      '/repo',
      { kind: 'http', url: 'https://a.example', headers: {} },
    ],
    [{ type: 'stdio', command: 'x', url: 'https://a.example' }, '/repo', program()],
    [{ command: '/bin/x' }, '/repo', program({ command: '/bin/x' })],
    [{ command: 'bin/x' }, '/repo', program({ command: '/repo/bin/x' })],
    [{ command: './x' }, '/repo', program({ command: '/repo/x' })],
    [{ command: './x' }, null, { kind: 'stdio', command: './x', args: [], env: {} }],
    [{ command: v('HOME') }, '/repo', program({ command: '/home/me' })],
    [{ command: 'x', cwd: 'sub' }, '/repo', program({ cwd: '/repo/sub' })],
    [{ command: 'x', cwd: '/abs' }, '/repo', program({ cwd: '/abs' })],
    [{ command: 'x', cwd: '/abs' }, null, { kind: 'stdio', command: 'x', args: [], env: {}, cwd: '/abs' }],
    [{ command: 'x', cwd: v('HOME') }, '/repo', program({ cwd: '/home/me' })],
    [{ command: 'x', args: [1, true, 'a b'] }, '/repo', program({ args: ['1', 'true', 'a b'] })],
    [
      { command: 'x', env: { A: 1, B: v('KEY'), C: v('env:NONE') } },
      '/repo',
      program({ env: { A: '1', B: 'k', C: '' } }),
    ],
    [
      { command: 'x', args: [v('CLAUDE_PLUGIN_ROOT'), v('CLAUDE_PROJECT_DIR')] },
      '/p',
      program({ args: ['/p', '/p'], cwd: '/p' }),
    ],
    [{ command: 'x', args: [`a${v('KEY')}b${v('_U1')}`, v('env:KEY')] }, '/repo', program({ args: ['akbu', 'k'] })],
    [
      { command: 'x', args: [v('NONE:-a:-b'), v('NONE:-'), v('KEY:-else'), v('EMPTY'), v('EMPTY:-e')] },
      '/repo',
      program({ args: ['a:-b', '', 'k', '', ''] }),
    ],
    [{ command: 'x', args: [v('env:NONE:-e'), '$KEY', '{KEY}'] }, '/repo', program({ args: ['e', '$KEY', '{KEY}'] })],
    [{ url: 'http://a.example' }, null, { kind: 'http', url: 'http://a.example', headers: {} }],
    [{ url: 'HTTPS://a.example' }, null, { kind: 'http', url: 'HTTPS://a.example', headers: {} }],
    [
      { type: 'streamableHttp', url: `https://${v('KEY')}.example` },
      null,
      { kind: 'http', url: 'https://k.example', headers: {} },
    ],
    [
      { type: 'sse', url: 'https://a.example', headers: { A: v('KEY') } },
      null,
      { kind: 'sse', url: 'https://a.example', headers: { A: 'k' } },
    ],
    [
      { url: 'https://a.example', oauth: { clientId: 'c' } },
      null,
      { kind: 'http', url: 'https://a.example', headers: {}, oauthClient: { clientId: 'c' } },
    ],
    [
      { url: 'https://a.example', oauth: { clientId: 'c', clientSecret: v('KEY') } },
      null,
      { kind: 'http', url: 'https://a.example', headers: {}, oauthClient: { clientId: 'c', clientSecret: 'k' } },
    ],
  ] as const)
    it(`${JSON.stringify(raw)} ${folder === null ? 'of no folder' : `of ${folder}`} is read whole`, () =>
      assert.deepEqual(read(raw, folder), expected));

  for (const [raw, folder, message] of [
    [{ type: 'http', command: 'x' }, '/repo', 's: must have a command or a url'],
    [{ type: 'stdio', url: 'https://a.example' }, '/repo', 's.command: is required'],
    [{ command: 'x', cwd: 'sub' }, null, notAbsolute],
    [{ command: 'x', cwd: v('NONE') }, '/repo', `s.cwd: ${v('NONE')} is not set`],
    [{ command: v('NONE') }, '/repo', `s.command: ${v('NONE')} is not set`],
    [{ command: 'x', env: { A: v('NONE') } }, '/repo', `s.env.A: ${v('NONE')} is not set`],
    [{ command: 'x', args: [v('constructor')] }, '/repo', `s.args.0: ${v('constructor')} is not set`],
    [{ command: 'x', args: ['a', v('1')] }, '/repo', `s.args.1: ${v('1')} is not supported`],
    [{ command: 'x', args: [v('')] }, '/repo', `s.args.0: ${v('')} is not supported`],
    [
      { command: 'x', args: [v('CLAUDE_PLUGIN_ROOT')] },
      null,
      `s.args.0: ${v('CLAUDE_PLUGIN_ROOT')}: the server does not belong to a folder`,
    ],
    [{ url: 'ftp://a.example' }, null, 's.url: must be an http or https URL'],
    [{ url: 'https://' }, null, 's.url: must be an http or https URL'],
    [{ url: 'xhttps://a.example' }, null, 's.url: must be an http or https URL'],
    [{ url: v('NONE') }, null, `s.url: ${v('NONE')} is not set`],
    [
      { url: 'https://a.example', oauth: { clientId: 'c', clientSecret: v('NONE') } },
      null,
      `s.oauth.clientSecret: ${v('NONE')} is not set`,
    ],
    [{ url: 'https://a.example', oauth: { clientId: '' } }, null, /^s\.oauth\.clientId: /],
    [{ command: '' }, null, /^s\.command: /],
    [{ type: 'ws', url: 'https://a.example' }, null, /^s\.type: /],
    ['x', null, /^s: Invalid input/],
  ] as const)
    it(`${JSON.stringify(raw)} ${folder === null ? 'of no folder ' : ''}is refused: ${message}`, () =>
      assert.throws(() => read(raw, folder), { code: 'invalid_params', message }));
});

describe('names of tools of several servers', () => {
  const server = (name: string, ...tools: string[]) => ({
    id: `id-${name}`,
    server: { name, tools: tools.map((it) => ({ name: it, title: `T${it}` })) } as unknown as RunningServer,
  });
  for (const [says, servers, expected] of [
    ['of other names', [server('a', 'x'), server('b', 'y')], ['x', 'y']],
    ['of one name', [server('a', 'x'), server('b', 'x'), server('c', 'x')], ['x', 'b_x', 'c_x']],
    ['of one server', [server('a', 'x', 'x', 'x')], ['x', 'a_x', 'a_x_2']],
    [
      'of servers of one name',
      [server('a', 'x'), server('b', 'x'), server('b', 'x'), server('b', 'x')],
      ['x', 'b_x', 'b_x_2', 'b_x_3'],
    ],
    ['of names that others were given', [server('a', 'x', 'b_x'), server('b', 'x')], ['x', 'b_x', 'b_x_2']],
    ['of servers with other signs', [server('a', 'x'), server('My Server/é!', 'x')], ['x', 'My_Server__x']],
    ['of none', [server('a')], []],
  ] as const)
    it(`stay apart where they are ${says}`, () => {
      const named = nameTools(servers);
      assert.deepEqual(
        named.map((it) => it.definition.name),
        expected,
      );
      for (const { server: of, own, definition } of named) {
        const _meta = {
          customizationId: servers.find((it) => it.server === of)?.id,
          server: of.name,
          ...(own !== definition.name && { name: own }),
        };
        assert.deepEqual(definition, { name: definition.name, title: `T${own}`, _meta });
      }
    });
});

describe('the bridge to the tools of a session', () => {
  const calls: unknown[] = [];
  const tools = (answer: OfferedResult | Error): OfferedTools =>
    ({
      list: () => [{ name: 'a' }, { name: 'b', inputSchema: { type: 'object', required: ['x'] } }],
      async call(...all: unknown[]) {
        calls.push(all);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    }) as unknown as OfferedTools;
  const done: OfferedResult = { success: true, content: [] };
  const ask = (message: object, answer: OfferedResult | Error = done) =>
    answerTo(BridgeMessage.parse({ jsonrpc: '2.0', ...message }), tools(answer));
  const called = (answer: OfferedResult | Error) => ask({ id: 1, method: 'tools/call', params: { name: 'a' } }, answer);
  const result = (it: object) => ({ jsonrpc: '2.0', id: 1, result: it });
  const error = (code: number, message: string) => ({ jsonrpc: '2.0', id: 1, error: { code, message } });

  for (const [asked, answered] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2023-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
  ] as const)
    it(`speaks ${answered} with who asks for ${asked}`, async () => {
      assert.deepEqual(
        await ask({ id: 1, method: 'initialize', params: { protocolVersion: asked } }),
        result({
          protocolVersion: answered,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'switchboard-session', title: 'Switchboard', version: '1' },
        }),
      );
    });
  for (const [message, expected] of [
    [{ id: 1, method: 'ping' }, result({})],
    [
      { id: 'x', method: 'ping' },
      { ...result({}), id: 'x' },
    ],
    [
      { id: 0, method: 'ping' },
      { ...result({}), id: 0 },
    ],
    [{ method: 'ping' }, undefined],
    [{ id: 1 }, undefined],
    [
      { id: 1, method: 'tools/list' },
      result({
        tools: [
          { name: 'a', inputSchema: { type: 'object', properties: {} } },
          { name: 'b', inputSchema: { type: 'object', required: ['x'] } },
        ],
      }),
    ],
    [{ id: 1, method: 'resources/list' }, error(-32601, 'Method not found.')],
    [{ id: 1, method: 'tools/call' }, error(-32602, 'params: must contain a tool name and its arguments')],
    [
      { id: 1, method: 'tools/call', params: { name: 'a', arguments: [] } },
      error(-32602, 'params: must contain a tool name and its arguments'),
    ],
  ] as const)
    it(`answers ${JSON.stringify(message)} with ${JSON.stringify(expected)?.slice(0, 60)}`, async () => {
      const before = calls.length;
      assert.deepEqual(await ask(message), expected);
      assert.equal(calls.length, before);
    });
  it('hands on the name and the arguments of a call, or none of them', async () => {
    calls.length = 0;
    await ask({ id: 1, method: 'tools/call', params: { name: 'a', arguments: { x: 1 } } });
    await ask({ id: 1, method: 'tools/call', params: { name: 'a' } });
    assert.deepEqual(calls, [
      ['a', { x: 1 }],
      ['a', {}],
    ]);
  });
  const data = (contentType: string) => ({ kind: 'data', base64: 'AA==', contentType }) as const;
  for (const [answer, expected] of [
    [done, { content: [] }],
    [{ success: true, content: [{ kind: 'text', text: 't' }] }, { content: [{ type: 'text', text: 't' }] }],
    [
      { success: true, content: [data('image/png')] },
      { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] },
    ],
    [
      { success: true, content: [data('audio/wav')] },
      { content: [{ type: 'audio', data: 'AA==', mimeType: 'audio/wav' }] },
    ],
    [
      { success: true, content: [data('x/image/png')] },
      { content: [{ type: 'resource', resource: { uri: 'data:,', blob: 'AA==', mimeType: 'x/image/png' } }] },
    ],
    [
      { success: true, content: [], structuredContent: { a: 1 } },
      { content: [], structuredContent: { a: 1 } },
    ],
    [
      { success: false, content: [], error: 'why' },
      { content: [{ type: 'text', text: 'why' }], isError: true },
    ],
    [
      { success: false, content: [] },
      { content: [{ type: 'text', text: 'The tool failed.' }], isError: true },
    ],
    [
      { success: false, content: [{ kind: 'text', text: 't' }], error: 'why' },
      { content: [{ type: 'text', text: 't' }], isError: true },
    ],
    [{ success: true, content: [], error: 'not a failure' }, { content: [] }],
  ] as readonly [OfferedResult, object][])
    it(`has the agent read ${JSON.stringify(answer)} as MCP has it`, async () =>
      assert.deepEqual(await called(answer), result(expected)));
  it('says why a call cannot be made, and no word of an error that nobody expected', async () => {
    assert.deepEqual(await called(new Fault('not_found', 'No such tool.')), error(-32602, 'No such tool.'));
    const ended = error(-32602, 'The turn that this call belongs to has ended.');
    assert.deepEqual(await called(new Error('/home/secret')), ended);
  });
});

describe('what a token for a server must fulfil', () => {
  const url = 'https://a.example/mcp';
  const whole = { resource: 'https://a.example', authorization_servers: ['https://as.example'] };
  const own = { resource: url, authorization_servers: ['https://a.example'] };
  const asked: unknown[][] = [];
  const parts = (found: unknown, scope?: string, allowed = true): Parameters<typeof requirementOf>[2] => ({
    extractWWWAuthenticateParams: () => ({
      resourceMetadataUrl: new URL('https://a.example/meta'),
      ...(scope !== undefined && { scope }),
    }),
    discoverOAuthProtectedResourceMetadata: (async (...all: unknown[]) => {
      asked.push(all);
      if (found instanceof Error) throw found;
      return found;
    }) as never,
    checkResourceAllowed: (it) => {
      asked.push([it]);
      return allowed;
    },
  });
  const server = { kind: 'http', url, headers: {} } as const;
  const require = (status: number, hadToken: boolean, it: ReturnType<typeof parts>, more: object = {}) =>
    requirementOf(
      new Challenge(new Response(null, { status }), hadToken ? 'token' : undefined),
      { ...server, ...more },
      it,
    );

  for (const [status, hadToken, scope, expected] of [
    [401, false, undefined, { reason: 'required' }],
    [401, true, undefined, { reason: 'expired' }],
    [403, true, 'a  b', { reason: 'insufficientScope', requiredScopes: ['a', 'b'] }],
    [403, false, ' ', { reason: 'insufficientScope' }],
    [401, false, 'a', { reason: 'required', requiredScopes: ['a'] }],
  ] as const)
    it(`follows from ${status} ${hadToken ? 'to a token' : 'without one'} and the scope “${scope ?? ''}”`, async () =>
      assert.deepEqual(await require(status, hadToken, parts(whole, scope)), { ...expected, resource: whole }));
  it('is asked of the place that the challenge names, and judged against the address of the server', async () => {
    asked.length = 0;
    await require(401, false, parts(whole));
    assert.deepEqual(asked, [
      [url, { resourceMetadataUrl: new URL('https://a.example/meta') }],
      [{ requestedResource: url, configuredResource: 'https://a.example' }],
    ]);
  });
  for (const [says, found] of [
    ['has no metadata', new Error('404')],
    ['has metadata that are none', { resource: 7 }],
  ] as const)
    it(`comes from the server itself where it ${says}`, async () =>
      assert.deepEqual(await require(401, false, parts(found)), { reason: 'required', resource: own }));
  it('is never for another resource', async () => {
    await assert.rejects(require(401, false, parts(whole, undefined, false)), {
      code: 'forbidden',
      message: "The MCP server's metadata describes a different resource, so no token was requested.",
    });
  });
  it('names the client that the file of the server names', async () => {
    const oauthClient = { clientId: 'c', clientSecret: 's' };
    assert.deepEqual((await require(401, false, parts(whole), { oauthClient })).oauthClient, oauthClient);
  });
  for (const depth of [0, 1, 7, 8])
    it(`is ${depth < 8 ? 'found' : 'looked for no more'} ${depth} causes below what was thrown`, () => {
      const challenge = new Challenge(new Response(null, { status: 401 }), undefined);
      let thrown: Error = challenge;
      for (let n = 0; n < depth; n += 1) thrown = new Error('outer', { cause: thrown });
      assert.equal(challengeIn(thrown), depth < 8 ? challenge : undefined);
    });
  it('is in nothing that is no error', () => {
    assert.deepEqual(
      [
        challengeIn(undefined),
        challengeIn('x'),
        challengeIn({ cause: 1 }),
        challengeIn(new Error('x', { cause: 'y' })),
      ],
      [undefined, undefined, undefined, undefined],
    );
  });
});

describe('a request to an MCP server', () => {
  let server: Server;
  let seen: IncomingHttpHeaders[];
  let answer: { status: number; challenge?: string };
  before(async () => {
    server = createServer((request, response) => {
      seen.push(request.headers);
      const { status, challenge } = answer;
      response.writeHead(status, challenge === undefined ? {} : { 'www-authenticate': challenge }).end('the body');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  after(() => void server.close());
  beforeEach(() => {
    seen = [];
  });
  const scope = 'Bearer error="INSUFFICIENT_scope"';
  for (const [status, challenge, isChallenge] of [
    [200, undefined, false],
    [200, scope, false],
    [401, undefined, true],
    [401, 'Bearer', true],
    [403, undefined, false],
    [403, 'Bearer', false],
    [403, scope, true],
    [404, scope, false],
    [500, undefined, false],
  ] as const)
    for (const token of ['the-token', undefined])
      it(`${token === undefined ? 'without' : 'with'} a token is ${isChallenge ? 'a challenge' : 'answered'} at ${status} ${challenge ?? ''}`, async () => {
        answer = { status, ...(challenge !== undefined && { challenge }) };
        const { port } = server.address() as AddressInfo;
        const sent = fetchWithToken(() => token)(new URL(`http://127.0.0.1:${port}/`), {
          headers: { x: 'y', authorization: 'of the file' },
        });
        if (isChallenge) {
          const thrown = await sent.then(() => undefined, challengeIn);
          assert.deepEqual([thrown?.response.status, thrown?.sent, thrown?.response.bodyUsed], [status, token, true]);
        } else assert.equal(await (await sent).text(), 'the body');
        assert.deepEqual(
          seen.map((it) => [it.authorization, it['x']]),
          [[token === undefined ? 'of the file' : 'Bearer the-token', 'y']],
        );
      });
});
