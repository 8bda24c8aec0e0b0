import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import { openStand, type Stand } from '../../support/gateway/stand.ts';
import {
  everythingOverHttp,
  type ListeningServer,
  type RealServers,
  realServers,
} from '../../support/mcp/realServers.ts';
import { until } from '../../support/until.ts';

describe('public MCP servers behind the gateway', function () {
  this.timeout(300_000);
  let real: RealServers;
  let overHttp: ListeningServer;
  let folder: string;
  let whole: Stand;
  const clients: Client[] = [];

  before(async () => {
    real = await realServers();
    overHttp = await everythingOverHttp(real.program('everything'));
  });
  after(() => overHttp.close());
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-servers-')));
    whole = await openStand({ stdio: { isTrusted: true, allowedCommands: [process.execPath] } });
    const add = (alias: string, args: readonly string[], env: Record<string, string> = {}) =>
      whole.addServer({ alias, transport: 'stdio', command: process.execPath, args: [...args], env });
    await add('everything', [real.program('everything'), 'stdio']);
    await add('files', [real.program('filesystem'), folder]);
    await add('memory', [real.program('memory')], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') });
    await add('thinking', [real.program('sequential-thinking')]);
    await whole.addServer({ alias: 'remote', url: overHttp.url });
  });
  afterEach(async () => {
    await Promise.allSettled(clients.splice(0).map((it) => it.close()));
    await whole.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function connect(path: string): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { sampling: {}, elicitation: {}, roots: {} } },
    );
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file://${folder}` }] }));
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'a sampled word' },
    }));
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    clients.push(client);
    const requestInit = { headers: { 'x-gateway-api-key': `Bearer ${whole.adminKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${whole.base}${path}`), { requestInit }));
    return client;
  }
  const call = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
    JSON.stringify((await client.callTool({ name, arguments: args })).content);

  /** Calls of tools on record: each exactly once, in order. */
  async function recorded(expected: readonly string[]): Promise<void> {
    const query = SpendLogsQuery.parse({ page_size: 1_000, sort_order: 'asc' });
    const read = async () =>
      (await whole.gateway.store.spendLogs.page(query)).data
        .filter((it) => it.call_type === 'mcp:tools/call')
        .map((it) => `${it.mcp_namespaced_tool_name} ${it.status}`);
    await until('every call is on record', async () => (await read()).length >= expected.length);
    assert.deepEqual(await read(), expected);
  }

  for (const alias of ['everything', 'remote'])
    it(`everything (${alias === 'remote' ? 'streamable HTTP' : 'stdio'}) does all it can, and asks the client back`, async () => {
      const client = await connect(`/${alias}/mcp`);
      const names = (await client.listTools()).tools.map((it) => it.name);
      assert.ok(
        ['echo', 'get-sum', 'trigger-sampling-request'].every((it) => names.includes(it)),
        names.join(),
      );
      assert.match(await call(client, 'echo', { message: 'hello' }), /Echo: hello/);
      assert.match(await call(client, 'get-sum', { a: 2, b: 3 }), /is 5/);
      assert.match(await call(client, 'get-tiny-image'), /"type":"image"/);
      const weather = await client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } });
      assert.match(JSON.stringify(weather.structuredContent), /"temperature":\d+/);
      const progress: number[] = [];
      await client.callTool(
        { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } },
        { onprogress: (it) => void progress.push(it.progress) },
      );
      assert.deepEqual(progress, [1, 2]);
      assert.match(await call(client, 'trigger-sampling-request', { prompt: 'x' }), /a sampled word/);
      assert.match(await call(client, 'trigger-elicitation-request'), /declined/i);
      assert.match(await call(client, 'get-roots-list'), new RegExp(folder));
      const { resources } = await client.listResources();
      const [first] = (await client.readResource({ uri: resources[0]?.uri ?? '' })).contents;
      assert.ok(first && 'text' in first && first.text.length > 0);
      assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0);
      const prompt = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Paris' } });
      assert.match(JSON.stringify(prompt.messages), /Paris/);
      const ref = { type: 'ref/prompt' as const, name: 'completable-prompt' };
      const { completion } = await client.complete({ ref, argument: { name: 'department', value: 'E' } });
      assert.deepEqual(completion.values, ['Engineering']);
      const tools = [
        'echo',
        'get-sum',
        'get-tiny-image',
        'get-structured-content',
        'trigger-long-running-operation',
        'trigger-sampling-request',
        'trigger-elicitation-request',
        'get-roots-list',
      ];
      await recorded(tools.map((it) => `${alias}/${it} success`));
    });

  it('write and read files, remember and think, each under its name at one address', async () => {
    const client = await connect('/mcp/files,memory,thinking');
    // Programs that take long to start are not in the first list.
    const wanted = ['files__write_file', 'memory__read_graph', 'thinking__sequentialthinking'];
    await until('each has its tools in the list', async () => {
      const names = (await client.listTools()).tools.map((it) => it.name);
      return wanted.every((it) => names.includes(it));
    });
    const path = join(folder, 'note.txt');
    await call(client, 'files__write_file', { path, content: 'written' });
    assert.equal(readFileSync(path, 'utf8'), 'written');
    assert.match(await call(client, 'files__read_text_file', { path }), /written/);
    assert.match(await call(client, 'files__read_text_file', { path: '/etc/hostname' }), /Access denied/);
    const entity = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
    await call(client, 'memory__create_entities', { entities: [entity] });
    assert.match(await call(client, 'memory__search_nodes', { query: 'programs' }), /Ada/);
    const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    assert.match(await call(client, 'thinking__sequentialthinking', thought), /thoughtNumber/);
    await recorded([
      'files/write_file success',
      'files/read_text_file success',
      'files/read_text_file success',
      'memory/create_entities success',
      'memory/search_nodes success',
      'thinking/sequentialthinking success',
    ]);
  });

  it('are listed, called and read by the Inspector', async () => {
    writeFileSync(join(folder, 'note.txt'), 'for the Inspector');
    const inspect = (path: string, ...args: readonly string[]) => {
      const header = ['--transport', 'http', '--header', `Authorization: Bearer ${whole.adminKey}`];
      return real.inspect([`${whole.base}${path}`, ...header, ...args], folder);
    };
    for (const [path, tool] of [
      ['/everything/mcp', 'echo'],
      ['/remote/mcp', 'echo'],
      ['/files/mcp', 'read_text_file'],
      ['/memory/mcp', 'read_graph'],
      ['/thinking/mcp', 'sequentialthinking'],
      // Their programs run already, and sessions share them: those of the others start anew, and the Inspector lists once.
      ['/mcp/memory,thinking', 'memory__read_graph'],
    ] as const) {
      const { tools } = (await inspect(path, '--method', 'tools/list')) as { readonly tools: { name: string }[] };
      assert.ok(
        tools.some((it) => it.name === tool),
        path,
      );
    }
    const read = ['--method', 'tools/call', '--tool-name', 'read_text_file', '--tool-arg', `path=${folder}/note.txt`];
    assert.match(JSON.stringify(await inspect('/files/mcp', ...read)), /for the Inspector/);
    const echo = ['--method', 'tools/call', '--tool-name', 'remote__echo', '--tool-arg', 'message=hello'];
    // The Inspector lists once, and calls only what is in that list: servers that take long to start are not.
    const answer = await until('the Inspector finds the tool in its list, and calls it', () =>
      inspect('/mcp', ...echo).catch(notListed),
    );
    assert.match(JSON.stringify(answer), /Echo: hello/);
    const listed = (await inspect('/remote/mcp', '--method', 'prompts/list')) as { readonly prompts: object[] };
    assert.equal(listed.prompts.length, 4);
    await recorded(['files/read_text_file success', 'remote/echo success']);
  });
});

/** @returns `undefined` where the tool was not in the list of the Inspector, which then calls nothing */
function notListed(thrown: unknown): undefined {
  if (!/Tool '[^']+' not found on server/.test(String(thrown))) throw thrown;
}
