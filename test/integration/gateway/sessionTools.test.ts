import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../../sidecar/agents/acp/provider.ts';
import { openEmbeddedGateway } from '../../../sidecar/gateway/editions/embedded.ts';
import { openStore } from '../../../sidecar/gateway/storage/store.ts';
import type { EmbeddedGateway } from '../../../sidecar/launch/gateway/gatewayContract.ts';
import { type Children, openChildren } from '../../../sidecar/platform/children/children.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import type { Log } from '../../../sidecar/platform/logger.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../support/host/hostPlace.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { keepingLog } from '../../support/testLog.ts';
import { until } from '../../support/until.ts';
import { fakeAgent } from '../peers/acp/fakeAgent.ts';

describe("the gateway's tools in sessions", () => {
  const secrets = {
    secret: randomBytes(32).toString('base64'),
    adminKey: `sk-${randomBytes(32).toString('base64url')}`,
  };
  let fixture: HttpFixture;
  let folder: string;
  const withFake = () => ({ provider: 'fake', workingDirectories: [pathToFileURL(folder).href] });
  let children: Children;
  let gateway: EmbeddedGateway;
  let place: HostPlace;
  let peer: HostPeer;
  let log: Log;
  let logged: readonly string[];
  const newGateway = () => {
    const build = { version: '0.1.0', builtAtMs: 1 };
    return openEmbeddedGateway({ dataDir: folder, pagesFolder: folder, build, runtime: systemRuntime(log) });
  };

  beforeEach(async () => {
    fixture = await httpFixture();
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-gateway-')));
    children = openChildren(join(folder, 'children.json'), systemClock.now);
    ({ log, lines: logged } = keepingLog());
    gateway = newGateway();
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function register(): Promise<void> {
    const store = await openStore({
      address: { kind: 'sqlite', file: join(folder, 'gateway.db') },
      clock: systemClock,
      secret: Buffer.from(secrets.secret, 'base64'),
      holder: 'test',
    });
    const now = systemClock.now();
    await store.mcp_server.insert({
      server_id: 'fixture',
      server_name: 'fixture',
      transport: 'http',
      url: fixture.url,
      allow_private_network: true,
      approval_status: 'active',
      created_at: now,
      updated_at: now,
    });
    await store.close();
  }
  async function connect(flags: readonly string[], window: { readonly sessionTools?: boolean } = {}): Promise<void> {
    place = await openHostPlace([acpProvider(fakeAgent(flags), { timers: systemTimers, children })], {
      get gateway() {
        return gateway;
      },
    });
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    peer = await place.connect('c1', { ...testWindow, env, ...window });
  }
  const start = () => peer.request('x-switchboard/gatewayStart', secrets);
  async function said(chat: string, prompt: string): Promise<string> {
    const turn = await peer.ended(chat, await peer.prompt(chat, prompt));
    return turn.responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');
  }
  /** What the agent got, read from its own words to us: the key in them is hidden. */
  /** Without the one for the tools of the session itself, which is not the gateway's. */
  const servers = async (chat: string) => {
    const all = JSON.parse(await said(chat, 'servers')) as { name: string; url: string }[];
    return all.filter((it) => it.name !== 'session');
  };
  async function logOf(baseUrl: string): Promise<readonly SpendLog[]> {
    const day = systemClock.now().slice(0, 10);
    const headers = { 'x-gateway-api-key': `Bearer ${secrets.adminKey}` };
    const response = await fetch(`${baseUrl}/spend/logs/v2?start_date=${day}&end_date=${day}`, { headers });
    return SpendLogsAnswer.parse(await response.json()).data;
  }
  /** What a key opens, asked as anybody could. */
  const statusOf = async (url: string, key: string) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const auth = { 'x-gateway-api-key': `Bearer ${key}` };
    return (await fetch(url, { method: 'POST', headers: { ...headers, ...auth }, body })).status;
  };

  it('reach an agent that takes MCP servers over HTTP: its call runs through the gateway', async () => {
    await register();
    await connect(['--mcp']);
    const { baseUrl } = await start();
    const { session, chat } = await peer.newSession(withFake());
    assert.match(await said(chat, 'tool fixture__test_simple_text {}'), /This is a simple text response/);
    assert.deepEqual(fixture.calls, ['test_simple_text']);
    const isCall = (it: SpendLog) => it.mcp_namespaced_tool_name === 'fixture/test_simple_text';
    await until('the call is in the log', async () => (await logOf(baseUrl)).some(isCall));
    const line = (await logOf(baseUrl)).find(isCall)!;
    assert.deepEqual(
      [line.model, line.metadata['session'], line.trace_id, line.status],
      ['MCP: test_simple_text', session, session, 'success'],
    );
    assert.equal(
      fixture.seen.some((it) => it.headers['x-gateway-api-key'] !== undefined),
      false,
    );
  });

  it('are one server with a key of the session, which no transcript and no log shows', async () => {
    await register();
    await connect(['--mcp']);
    const { baseUrl } = await start();
    const { session, chat } = await peer.newSession(withFake());
    assert.deepEqual(await servers(chat), [
      {
        type: 'http',
        name: 'switchboard',
        url: `${baseUrl}/mcp`,
        headers: [
          { name: 'x-gateway-api-key', value: 'Bearer [hidden]' },
          { name: 'x-gateway-session-id', value: session },
        ],
      },
    ]);
    const { key } = (await gateway.sessionTools(session))!;
    for (const it of [...logged, ...place.log, JSON.stringify(peer.envelopes)]) assert.equal(it.includes(key), false);
  });

  it('end with their session: the key opens nothing any more', async () => {
    await register();
    await connect(['--mcp']);
    await start();
    const { session } = await peer.newSession(withFake());
    const { url, key } = (await gateway.sessionTools(session))!;
    assert.notEqual(await statusOf(url, key), 401);
    await peer.request('disposeSession', { channel: session });
    assert.equal(await statusOf(url, key), 401);
  });

  it('are the same for every agent of a session, and others after it ended', async () => {
    await register();
    await connect(['--mcp']);
    await start();
    const [one, other] = await Promise.all([gateway.sessionTools('s'), gateway.sessionTools('s')]);
    assert.deepEqual(one, other);
    await gateway.sessionEnded('s');
    assert.notEqual((await gateway.sessionTools('s'))!.key, one!.key);
  });

  it('come again when the agent goes on with an earlier conversation', async () => {
    await register();
    await connect(['--mcp', '--load=ok']);
    await start();
    const { session, chat } = await peer.newSession(withFake());
    await said(chat, 'say hello');
    peer.close();
    gateway = newGateway();
    await place.restart();
    peer = await place.connect('c2', { env: { PATH: process.env['PATH'] ?? '', HOME: folder } });
    await peer.subscribe(session);
    await peer.subscribe(chat);
    await start();
    assert.deepEqual(
      (await servers(chat)).map((it) => it.name),
      ['switchboard'],
    );
  });

  for (const [title, flags, window, isRegistered] of [
    ['the agent does not take MCP servers over HTTP', [], {}, true],
    ['the window does not want them', ['--mcp'], { sessionTools: false }, true],
    ['no server is registered', ['--mcp'], {}, false],
  ] as const) {
    it(`stay away where ${title}`, async () => {
      if (isRegistered) await register();
      await connect(flags, window);
      await start();
      const { chat } = await peer.newSession(withFake());
      assert.deepEqual(await servers(chat), []);
    });
  }

  it('stay away while the gateway does not run', async () => {
    await register();
    await connect(['--mcp']);
    const { chat } = await peer.newSession(withFake());
    assert.deepEqual(await servers(chat), []);
  });

  it('are there for a window whose editor forgets secrets, with credentials that outlive it', async () => {
    await connect(['--mcp']);
    const first = { adminKey: `sk-${randomBytes(32).toString('base64url')}` };
    const { baseUrl } = await peer.request('x-switchboard/gatewayStart', first);
    const server = { server_name: 'fixture', url: fixture.url, allow_private_network: true };
    const credentials = { auth_value: 'kept-over-a-restart' };
    const headers = { 'content-type': 'application/json', 'x-gateway-api-key': `Bearer ${first.adminKey}` };
    const body = JSON.stringify({ ...server, auth_type: 'bearer_token', credentials });
    assert.equal((await fetch(`${baseUrl}/v1/mcp/server`, { method: 'POST', headers, body })).status, 201);
    const forgotten = { adminKey: `sk-${randomBytes(32).toString('base64url')}` };
    assert.deepEqual(await peer.request('x-switchboard/gatewayStart', forgotten), { baseUrl });
    peer.close();
    gateway = newGateway();
    await place.restart();
    peer = await place.connect('c2', { env: { PATH: process.env['PATH'] ?? '', HOME: folder } });
    await peer.request('x-switchboard/gatewayStart', forgotten);
    const { chat } = await peer.newSession(withFake());
    assert.match(await said(chat, 'tool fixture__test_simple_text {}'), /This is a simple text response/);
    assert.equal(fixture.seen.at(-1)?.headers.authorization, 'Bearer kept-over-a-restart');
    assert.equal(await statusOf(`${baseUrl}/mcp`, first.adminKey), 401);
  });
});
