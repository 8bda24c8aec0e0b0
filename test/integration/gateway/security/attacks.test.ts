import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { type EchoBackend, type Heard, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { a2aSend, speakAll, speakMcp } from '../../../support/gateway/backendAnswers.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type Programs, programs } from '../../../support/mcp/program.ts';
import { openSse } from '../../../support/mcp/sseClient.ts';
import { verifies } from '../../../support/verifies.ts';

describe('credentials on redirects', () => {
  let stand: Stand;
  let elsewhere: EchoBackend;
  let key: string;

  before(async () => {
    stand = await openStand();
    elsewhere = await startEchoBackend();
    key = await stand.addKey();
    const url = `${stand.backend.url}/mcp/moved`;
    await stand.addServer(
      { alias: 'moved', url, auth_type: 'bearer_token' },
      { auth_value: 'the-secret-of-the-server' },
    );
    await stand.addAgent({ agent_id: 'moved', agent_name: 'moved' }, { api_key: 'the-secret-of-the-agent' });
  });
  after(async () => {
    await stand.close();
    await elsewhere.close();
  });

  const ways: readonly [says: string, path: string, body: string][] = [
    [
      'an MCP server',
      '/moved/mcp',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}',
    ],
    ['several MCP servers', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    ['an A2A agent', '/a2a/moved', a2aSend()],
    ['the cloud agents', '/cloudagents/v0/agents', '{}'],
  ];
  for (const [says, path, body] of ways) {
    for (const status of [301, 302, 303, 307, 308]) {
      it(`reach no other origin when ${says} answers ${status}`, async () => {
        verifies('security.redirected-credentials');
        stand.backend.heard.splice(0);
        stand.backend.answer = (_heard: Heard, response: ServerResponse) =>
          void response.writeHead(status, { location: `${elsewhere.url}/stolen` }).end();
        const answer = await fetch(`${stand.base}${path}`, {
          method: 'POST',
          redirect: 'manual',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'x-gateway-api-key': `Bearer ${key}`,
          },
          body,
        });
        await answer.arrayBuffer();
        assert.ok(stand.backend.heard.length > 0);
        assert.equal(elsewhere.heard.length, 0);
      });
    }
  }
});

describe('answers to the wrong client', () => {
  let stand: Stand;
  let written: Programs;
  let keys: readonly string[];
  const stdio = { isTrusted: true, allowedCommands: [process.execPath] };
  const pairs = 25;

  before(async () => {
    written = programs();
    stand = await openStand({ stdio });
    keys = [await stand.addKey(), await stand.addKey()];
    await stand.addServer({ alias: 'echo', url: `${stand.backend.url}/mcp/echo` });
    const program = written.write(`
      const waiting = [];
      const flush = () => {
        for (const it of waiting.splice(0).reverse())
          reply(it, { content: [{ type: 'text', text: JSON.stringify(it.params.arguments) }] });
      };
      onCall = (message) => {
        if (message.method !== 'tools/call') return reply(message, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
        waiting.push(message);
        if (waiting.length === 2) flush();
        else setTimeout(flush, 200);
      };`);
    await stand.addServer({
      alias: 'piped',
      transport: 'stdio',
      command: program.command,
      args: [...program.args],
    });
    // Two calls at a time are answered in the order in which they did not come.
    const waiting: (() => void)[] = [];
    stand.backend.answer = (heard, response) => {
      if (!heard.body.includes('tools/call')) return speakMcp(heard, response);
      waiting.push(() => speakMcp(heard, response));
      if (waiting.length < 2) return;
      for (const it of waiting.splice(0).reverse()) it();
    };
  });
  after(async () => {
    await stand.close();
    written.remove();
  });

  const said = (text: string) => ({ said: text });
  for (const [path, tool] of [
    ['/echo/mcp', 'echo'],
    ['/mcp', 'echo__echo'],
    ['/piped/mcp', 'echo'],
    ['/mcp', 'piped__echo'],
  ] as const) {
    it(`are never given at ${path} to two keys that call ${tool} with the same id at once`, async () => {
      verifies('security.crossed-answers');
      for (let n = 0; n < pairs; n += 1) {
        const calls = keys.map((key, at) => stand.mcp(path, key).call(tool, said(`${at} ${n}`)));
        const texts = (await Promise.all(calls)).map(
          (it) => it.json.result?.content?.[0]?.text ?? JSON.stringify(it.json),
        );
        assert.deepEqual(texts, [JSON.stringify(said(`0 ${n}`)), JSON.stringify(said(`1 ${n}`))]);
      }
    });
  }

  it('are never given to two sessions with the same ids, over streams and over the older transport', async () => {
    verifies('security.crossed-answers');
    const sessions = await Promise.all(keys.map((key) => stand.mcp('/echo/mcp', key).initialized()));
    for (let n = 0; n < pairs; n += 1) {
      const answers = await Promise.all(sessions.map((it, at) => it.call('echo', said(`${at} ${n}`))));
      assert.deepEqual(
        answers.map((it) => it.json.result?.content?.[0]?.text),
        [0, 1].map((at) => JSON.stringify(said(`${at} ${n}`))),
      );
    }
    const streams = await Promise.all(keys.map((key) => openSse(stand.base, key)));
    const post = (at: number, body: object) =>
      fetch(`${stand.base}${streams[at]?.address}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${keys[at]}` },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      });
    try {
      const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      for (const at of [0, 1]) {
        assert.equal((await post(at, { id: 0, method: 'initialize', params })).status, 202);
        assert.match((await streams[at]?.next()) ?? '', /"id":0/);
      }
      for (let n = 1; n <= pairs; n += 1) {
        const call = (at: number) =>
          post(at, { id: n, method: 'tools/call', params: { name: 'echo__echo', arguments: said(`${at} ${n}`) } });
        await Promise.all([call(0), call(1)]);
        const answers = await Promise.all(streams.map((it) => it.next()));
        for (const [at, text] of answers.entries()) {
          assert.ok(text.includes(JSON.stringify(JSON.stringify(said(`${at} ${n}`))).slice(1, -1)), text);
        }
      }
    } finally {
      for (const it of streams) await it.close();
    }
  });
});

describe('code in a stdio configuration', () => {
  let stand: Stand;
  let folder: string;
  const stdio = { isTrusted: true, allowedCommands: [process.execPath, 'sh', 'env'], wantsVersions: true };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-injected-'));
    stand = await openStand({ stdio, env: { PATH: process.env['PATH'] ?? '' } });
    stand.backend.answer = speakAll;
  });
  after(async () => {
    await stand.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const marker = () => join(folder, 'ran');
  afterEach(() => rmSync(marker(), { force: true }));

  const writes = () => `require('node:fs').writeFileSync(${JSON.stringify(marker())}, '')`;
  const rows: readonly [
    says: string,
    server: () => { command: string; args: string[]; env?: Record<string, string> },
  ][] = [
    ['an argument of node', () => ({ command: process.execPath, args: ['-e', writes()] })],
    ['an argument of a shell', () => ({ command: 'sh', args: ['-c', `touch ${marker()}`] })],
    ['a launcher', () => ({ command: 'env', args: ['touch', marker()] })],
    [
      'NODE_OPTIONS',
      () => ({
        command: process.execPath,
        args: ['server.js'],
        env: {
          NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`import('node:fs').then((fs) => fs.writeFileSync(${JSON.stringify(marker())}, ''))`)}`,
        },
      }),
    ],
    ['LD_PRELOAD', () => ({ command: process.execPath, args: ['server.js'], env: { LD_PRELOAD: '/tmp/x.so' } })],
  ];
  for (const [at, [says, server]] of rows.entries()) {
    it(`by ${says} is neither registered nor started, though the program itself is allowed`, async () => {
      verifies('security.stdio-injection');
      const wanted = { alias: `injected${at}`, transport: 'stdio' as const, ...server() };
      const registered = await stand.as(stand.adminKey, '/v1/mcp/server', {
        method: 'POST',
        body: JSON.stringify(wanted),
      });
      const text = await registered.text();
      assert.equal(registered.status, 403, text);
      assert.match(text, /would run code other than the allowed program/);
      await stand.addServer(wanted);
      const { json } = await stand.mcp(`/injected${at}/mcp`, await stand.addKey()).call('any');
      assert.match(JSON.stringify(json), /would run code other than the allowed program/);
      assert.equal(existsSync(marker()), false);
    });
  }
});

describe('regular expressions in URI templates', () => {
  let stand: Stand;
  const hostile = ['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*)*(.*)*(.*)*', '[', '\\'];

  before(async () => {
    stand = await openStand();
    await stand.addServer({ alias: 'templates', url: `${stand.backend.url}/mcp/templates` });
    const resourceTemplates = hostile.map((it, at) => ({ name: `t${at}`, uriTemplate: `${it}://{+rest}` }));
    stand.backend.answer = (heard, response) => {
      const { id, method } = JSON.parse(heard.body.toString() || '{}') as { id?: unknown; method?: string };
      const results: Readonly<Record<string, object>> = {
        'resources/list': { resources: [] },
        'resources/templates/list': { resourceTemplates },
        'resources/read': { contents: [] },
      };
      const result = results[method ?? ''];
      if (!result) return speakMcp(heard, response);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
  });
  after(() => stand.close());

  it('are no expressions: what a template begins with is compared to the letter, and what it would match goes nowhere', async () => {
    verifies('security.template-expressions');
    const client = stand.mcp('/mcp', await stand.addKey());
    const reached = () => stand.calls().filter((it) => it.body.includes('resources/read')).length;
    const flood = `${'a'.repeat(50_000)}!`;
    assert.equal((await client.request('resources/read', { uri: flood })).json.error?.code, -32002);
    assert.equal(reached(), 0);
    for (const [at, it] of hostile.entries()) {
      const { json } = await client.request('resources/read', { uri: `${it}://${flood}` });
      assert.deepEqual(json.result, { contents: [] }, it);
      assert.equal(reached(), at + 1);
    }
  });
});
