import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request as ask } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';
import { type EchoBackend, startEchoBackend } from '../../support/backends/echoBackend.ts';
import { childrenOf, processesMentioning } from '../../support/editor/processes.ts';
import { type HeldBackend, holdCalls } from '../../support/gateway/heldBackend.ts';
import { type GatewayProcess, openProcessStand, type ProcessStand } from '../../support/gateway/processStand.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { RawClient } from '../../support/mcp/rawClient.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';

const program = join(import.meta.dirname, '../../support/mcp/stdioFixture.child.ts');
const price = 0.01;

/** One kept connection of a caller: it stays at the worker that got it. */
interface Line {
  readonly socket: () => Socket;
  /** @returns the status; 0 where the connection broke */
  call(key: string): Promise<number>;
}

describe('a gateway with two workers on one port', function withWorkers() {
  let fixture: HttpFixture;
  let slow: HeldBackend;
  let provider: EchoBackend;
  let stand: ProcessStand;
  let gateway: GatewayProcess;
  let base: string;
  const agents: Agent[] = [];

  before(async () => {
    [fixture, provider] = await Promise.all([httpFixture(), startEchoBackend()]);
    slow = await holdCalls(fixture.url);
    const priced = { mcp_server_cost_info: { default_cost_per_query: price } };
    stand = openProcessStand({
      flags: ['--workers', '2'],
      config: {
        listen: { port: 0 },
        shutdown: { leave_s: 0, grace_s: 20 },
        logs: { file: { path: 'gateway.log' } },
        stdio: { allowed_commands: [process.execPath] },
        mcp_servers: {
          fixture: { url: fixture.url, allow_private_network: true, mcp_info: priced },
          slow: { url: slow.url, allow_private_network: true },
          local: { transport: 'stdio', command: process.execPath, args: [program, 'local'] },
        },
      },
    });
    await start();
  });
  afterEach(() => {
    for (const it of agents.splice(0)) it.destroy();
  });
  after(async () => {
    await stand.close();
    await Promise.all([slow.close(), provider.close(), fixture.close()]);
  });

  async function start(): Promise<void> {
    gateway = stand.start('one');
    base = await gateway.baseUrl;
  }
  const makeKey = async (more: object = {}) => {
    const permission = { mcp_servers: ['fixture', 'slow', 'local'], models: ['all-proxy-models'] };
    const made = await stand.manage(base, 'POST', '/key/generate', { object_permission: permission, ...more });
    return String(made['key']);
  };
  const client = (key: string, path = '/mcp') => new RawClient(`${base}${path}`, { authorization: `Bearer ${key}` });
  const echo = (key: string) => client(key).modern('tools/call', { name: 'fixture__echo', arguments: { text: 'x' } });

  /** Outside a session. */
  const localEcho = async (key: string) =>
    (await client(key).modern('tools/call', { name: 'local__echo', arguments: { text: 'y' } })).json.result
      ?.content?.[0]?.text;

  function openLine(): Line {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    let socket: Socket | undefined;
    const call = (key: string) =>
      new Promise<number>((resolve) => {
        const name = 'fixture__echo';
        const meta = {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        };
        const headers = {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        };
        const asked = ask(`${base}/mcp`, { method: 'POST', agent, headers }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
        });
        asked.on('socket', (it) => void (socket = it)).on('error', () => resolve(0));
        const params = { name, arguments: { text: 'line' }, _meta: meta };
        asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
      });
    return { call, socket: () => socket as Socket };
  }
  /** Connections go to the workers in turn, so each of two has two of these. @returns after a call on each */
  async function linesToEach(key: string): Promise<readonly Line[]> {
    const lines = Array.from({ length: 4 }, openLine);
    for (const it of lines) assert.equal(await it.call(key), 200);
    return lines;
  }
  /** Those that serve now. */
  const workers = () => {
    const all = new Set(processesMentioning(`${gateway.dataDir} --worker`));
    return childrenOf(gateway.pid).filter((it) => all.has(it));
  };
  const isReady = (pid: number) => gateway.said().includes(`"worker":${pid},"msg":"A worker serves."`);
  const isAlive = (pid: number) => processesMentioning(process.execPath).includes(pid);
  const replaced = (killed: readonly number[]) =>
    until('other workers took their place', () => {
      const now = workers();
      return now.length === 2 && now.every((it) => !killed.includes(it) && isReady(it));
    });
  async function metric(name: string, labels = ''): Promise<number> {
    const response = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${stand.adminKey}` } });
    const line = (await response.text()).split('\n').find((it) => it.startsWith(`${name}{`) && it.includes(labels));
    return Number(line?.split(' ').at(-1) ?? 0);
  }
  /** Calls with a key on record. */
  const recordsOf = async (key: string) =>
    Number((await stand.manage(base, 'GET', `/spend/logs/v2?api_key=${hashKey(key)}`))['total']);

  it('answers an MCP session, its stream, and a stdio server on every connection', async () => {
    verifies('gateway.workers.port');
    const key = await makeKey();
    const session = await client(key).initialized();
    const stream = await session.send('GET', { accept: 'text/event-stream' });
    assert.equal(stream.status, 200);
    for (const server of ['fixture', 'local', 'fixture', 'local'])
      assert.equal((await session.call(`${server}__echo`, { text: server })).json.result?.content?.[0]?.text, server);
    assert.equal(await localEcho(key), 'y');
    const extra = {
      server_name: 'extra',
      alias: 'extra',
      transport: 'http',
      url: fixture.url,
      allow_private_network: true,
    };
    await stand.manage(base, 'POST', '/v1/mcp/server', extra);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('list_changed')) text += (await reader.read()).value ?? assert.fail('the stream ended');
    await reader.cancel();
    assert.equal((await session.send('DELETE')).status, 200);
    assert.equal((await session.call('fixture__echo', { text: 'z' })).status, 404);
  });

  it('admits exactly the calls that a budget pays for, of 100 at the same time', async () => {
    verifies('gateway.workers.limits');
    const key = await makeKey({ max_budget: 25 * price });
    const before = await metric('switchboard_tool_calls_total', 'tool="echo",status="success"');
    const statuses = (await Promise.all(Array.from({ length: 100 }, () => echo(key)))).map((it) => it.status);
    const admitted = statuses.filter((it) => it === 200).length;
    assert.deepEqual([admitted, statuses.filter((it) => it === 429).length], [25, 75]);
    const after = await metric('switchboard_tool_calls_total', 'tool="echo",status="success"');
    assert.equal(after - before, 25, 'the metrics are those of all processes');
    await until('every call has its record', async () => (await recordsOf(key)) === 100);
  });

  it('refuses a deleted key at each worker', async () => {
    verifies('gateway.workers.revoked');
    const key = await makeKey();
    const lines = await linesToEach(key);
    await stand.manage(base, 'POST', '/key/delete', { keys: [key] });
    for (const it of lines) await until('the worker refuses it', async () => (await it.call(key)) === 401);
  });

  it('relays calls to models, and writes what a worker logs into the file of the gateway', async () => {
    verifies('gateway.workers.port');
    const key = await makeKey();
    await stand.manage(base, 'POST', '/model/new', {
      model_name: 'm',
      gateway_params: {
        model: 'openai/real',
        api_base: `${provider.url}/v1`,
        api_key: 'k',
        allow_private_network: true,
      },
    });
    const chat = () =>
      fetch(`${base}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'm', messages: [], stream: true }),
      });
    provider.answer = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: [DONE]\n\n');
    const texts = await Promise.all(Array.from({ length: 6 }, async () => (await chat()).text()));
    assert.deepEqual(
      texts,
      texts.map(() => 'data: [DONE]\n\n'),
    );
    provider.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {}\n\n', () => response.destroy());
    };
    await assert.rejects(async () => (await chat()).text());
    const file = join(stand.folder, 'gateway.log');
    await until('the line is there', () =>
      readFileSync(file, 'utf8').includes('A stream to a caller was interrupted.'),
    );
  });

  it('replaces killed workers, keeps the records of what they answered, and frees the places of their calls', async () => {
    verifies('gateway.workers.killed');
    const key = await makeKey();
    const alone = await makeKey({ max_parallel_requests: 1 });
    const lines = await linesToEach(key);
    const held = client(alone).modern('tools/call', { name: 'slow__echo', arguments: { text: 'held' } });
    held.catch(() => undefined);
    await until('a call is under way', () => slow.held === 1);
    assert.equal((await echo(alone)).status, 429);
    const [first, second] = workers();
    assert.ok(first && second, 'both workers run');
    const closed = () => lines.filter((it) => it.socket().destroyed).length;
    process.kill(first, 'SIGKILL');
    await until('the connections of one worker broke', () => closed() === 2);
    process.kill(second, 'SIGKILL');
    await until('those of the other one, too', () => closed() === 4);
    await assert.rejects(held);
    await replaced([first, second]);
    await until('the place is free', async () => (await echo(alone)).status === 200);
    await until('each answered call has its record', async () => (await recordsOf(key)) === lines.length);
    slow.letGo();
  });

  it('replaces a worker that is killed before it takes connections, and others answer those', async () => {
    verifies('gateway.workers.killed');
    const key = await makeKey();
    const [stopped] = workers();
    assert.ok(stopped);
    process.kill(stopped, 'SIGSTOP');
    let answered = 0;
    const calls = Array.from({ length: 6 }, async () => {
      const status = await openLine().call(key);
      answered += 1;
      return status;
    });
    await until('the other worker answers its connections', () => answered === 3);
    process.kill(stopped, 'SIGKILL');
    const statuses = await Promise.all(calls);
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [0, 200, 200, 200, 200, 200],
      'nobody knows what became of the one that was on its way',
    );
    await replaced([stopped]);
  });

  it('leaves no process behind when its owner is killed, and goes on with the same data', async () => {
    verifies('gateway.workers.owner-killed');
    const key = await makeKey();
    assert.equal(await localEcho(key), 'y');
    const all = childrenOf(gateway.pid).flatMap((it) => [it, ...childrenOf(it)]);
    assert.ok(all.length > workers().length, 'there is a program of a stdio server, too');
    gateway.signal('SIGKILL');
    await gateway.exited;
    await until('none is alive', () => !all.some(isAlive));
    await start();
    assert.equal((await echo(key)).status, 200);
  });

  it('lets calls under way end when it is asked to stop, and then ends its workers', async () => {
    verifies('gateway.workers.stop');
    const key = await makeKey();
    const all = workers();
    const idle = await linesToEach(key);
    const held = client(key).modern('tools/call', { name: 'slow__echo', arguments: { text: 'last' } });
    await until('a call is under way', () => slow.held === 1);
    // As a terminal does, which signals all processes of a program.
    for (const it of all) process.kill(it, 'SIGTERM');
    gateway.signal('SIGTERM');
    await until('it takes no more connections', () =>
      fetch(`${base}/livez`).then(
        () => false,
        () => true,
      ),
    );
    await until('connections without a call are closed', () => idle.every((it) => it.socket().destroyed));
    slow.letGo();
    assert.equal((await held).json.result?.content?.[0]?.text, 'last');
    assert.equal(await gateway.exited, 0);
    assert.deepEqual(all.filter(isAlive), []);
  });
});
