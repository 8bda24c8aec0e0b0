import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { exitCodes } from '../../sidecar/launch/failure.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { RawClient } from '../support/host/rawClient.ts';
import { type Served, serve } from '../support/host/served.ts';
import { type OpenedWebSocket, openWebSocket } from '../support/host/webSocketStream.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    await new Promise((resolve) => void server.close(resolve));
    return true;
  } catch {
    return false;
  }
}

describe('switchboard serve', () => {
  let place: SidecarPlace;
  let root: string;
  beforeEach(() => {
    place = openSidecarPlace();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-served-')));
  });
  afterEach(async () => {
    await place.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function connect(served: Served, clientId: string): Promise<HostPeer & { opened: OpenedWebSocket }> {
    const opened = await openWebSocket(served.url, served.headers);
    const peer = Object.assign(new HostPeer(opened.stream), { opened });
    await peer.initialize(clientId, testWindow);
    return peer;
  }
  const rename = (title: string) => ({ type: 'session/titleChanged', title }) as AnyAction;
  const draft = (text: string) =>
    ({ type: 'chat/draftChanged', draft: { text, origin: { kind: 'user' } } }) as AnyAction;

  it('serves a session that a window beside it sees live, with either way to give the token', async () => {
    const served = await serve(place, root);
    const far = await connect(served, 'far');
    const { session, chat } = await far.newSession();
    const turn = await far.ended(chat, await far.prompt(chat, 'hello'));
    assert.equal(turn.state, 'complete');
    const near = new HostPeer(place.start().peer);
    await near.initialize('near', testWindow);
    await near.subscribe(session);
    await far.act(session, rename('Seen by both'));
    await near.until(() => near.session(session).title === 'Seen by both');
    const { stream } = await openWebSocket(`${served.url}/?tkn=${served.token}`);
    assert.equal(await new HostPeer(stream).request('ping', {}), null);
    assert.equal(await served.stop(), 0);
    assert.deepEqual(await far.opened.closed, { code: 1001, reason: 'the server is stopping' });
    assert.ok(!served.stderr().includes(served.token));
  });

  it('sends away before the upgrade whoever has no token, comes from a page or by a foreign name', async () => {
    const served = await serve(place, root, {}, ['--allow-origin', 'https://good.example']);
    const attempt = (headers: Record<string, string>) => openWebSocket(served.url, headers);
    await assert.rejects(attempt({}), /Unexpected server response: 401/);
    await assert.rejects(attempt({ Authorization: 'Bearer wrong' }), /401/);
    await assert.rejects(attempt({ ...served.headers, Origin: 'https://evil.example' }), /403/);
    await assert.rejects(attempt({ ...served.headers, Host: 'evil.example' }), /403/);
    const { socket } = await attempt({ ...served.headers, Origin: 'https://good.example' });
    socket.close();
    assert.equal((await fetch(served.url.replace('ws:', 'http:'))).status, 426);
    assert.ok(!served.stderr().includes('evil.example'));
  });

  it('answers bad messages as everywhere, and says goodbye with a number and words to what is no text or too large', async () => {
    verifies('host.served.goodbye-words');
    const served = await serve(place, root, { messageBytes: 10_000, jsonDepth: 20 });
    const bad = await openWebSocket(served.url, served.headers);
    const raw = new RawClient(bad.stream);
    bad.socket.send('{');
    bad.socket.send('['.repeat(50));
    assert.equal((await raw.ask(1, 'ping', {})).result, null);
    assert.deepEqual(
      raw.heard.map((it) => it.error?.message ?? it.result),
      ['the body is not valid JSON', 'nested more than 20 levels deep', null],
    );
    bad.socket.send(Buffer.from('{}'), { binary: true });
    assert.deepEqual(await bad.closed, { code: 1003, reason: 'messages must be text' });
    const asked = await openWebSocket(served.url, served.headers);
    const { _meta } = await new HostPeer(asked.stream).initialize('asked', testWindow);
    assert.equal(_meta?.messageBytes, 10_000);
    const large = await openWebSocket(served.url, served.headers);
    large.socket.send('x'.repeat(10_001));
    assert.deepEqual(await large.closed, { code: 1009, reason: 'a message was larger than 10000 bytes' });
    const next = await connect(served, 'next');
    assert.deepEqual(await next.request('listSessions', {}), { items: [] });
  });

  it('ends nothing for a client that shuts down as language clients do', async () => {
    verifies('host.served.protocol-alone');
    const served = await serve(place, root);
    const peer = await connect(served, 'far');
    const other = await connect(served, 'other');
    await assert.rejects(peer.peer.sendRequest('shutdown', {}), { code: -32601 });
    peer.peer.sendNotification('exit', {});
    assert.equal(await peer.request('ping', {}), null);
    assert.deepEqual(await other.request('listSessions', {}), { items: [] });
  });

  it('holds each client to its limits, and takes no more clients than it may', async () => {
    const served = await serve(place, root, { connections: 2, subscriptions: 3, attachments: 0, queuedMessages: 1 });
    const peer = await connect(served, 'one');
    const { session, chat } = await peer.newSession(); // with the root it has three
    await assert.rejects(peer.newSession(), { code: -32602, message: 'channel: too many subscriptions (limit: 3)' });
    const attachments = [{ type: 'simple', label: 'a' }];
    const message = { text: 'x', origin: { kind: 'user' }, attachments };
    const { rejectionReason } = await peer.act(chat, { type: 'chat/turnStarted', turnId: 't', message } as AnyAction);
    assert.equal(rejectionReason, 'message.attachments: must have at most 0 entries');
    assert.equal(peer.session(session).lifecycle, 'ready');
    await connect(served, 'two');
    await assert.rejects(openWebSocket(served.url, served.headers), /503/);
  });

  it('lets a client go that does not read, which gets states when it is back and misses nothing', async () => {
    const served = await serve(place, root, { queueBytes: 500_000 });
    const slow = await connect(served, 'slow');
    const { chat } = await slow.newSession();
    const lastSeenServerSeq = Math.max(0, ...slow.envelopes.map((it) => it.serverSeq)); // it may have states alone
    slow.opened.socket.pause();
    const other = new HostPeer(place.start().peer);
    await other.initialize('other', testWindow);
    await other.subscribe(chat);
    for (let n = 0; n < 60; n += 1) await other.act(chat, draft(`${n} ${'x'.repeat(500_000)}`));
    await other.act(chat, draft('the last'));
    slow.opened.socket.resume();
    assert.equal((await slow.opened.closed).code, 1001);
    const back = new HostPeer((await openWebSocket(served.url, served.headers)).stream);
    const params = { clientId: 'slow', lastSeenServerSeq, subscriptions: [chat] };
    const result = await back.request('reconnect', params);
    assert.ok(result.type === 'snapshot');
    assert.deepEqual(result.snapshots[0]?.state, other.chat(chat));
  });

  it('brings clients to the next host when theirs was killed', async () => {
    verifies('host.served.direct');
    const served = await serve(place, root);
    const peer = await connect(served, 'one');
    const { session, chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    await place.killHost();
    assert.deepEqual(await peer.opened.closed, { code: 1006, reason: '' });
    // In the moment between both nobody is there.
    const later = await until('the next host is there', () => connect(served, 'one'));
    const { items } = await later.request('listSessions', {});
    assert.deepEqual(
      items.map((it) => it.resource),
      [session],
    );
    // The host that was found for them listens itself, for whoever comes next.
    const last = await connect(served, 'two');
    assert.deepEqual((await last.request('listSessions', {})).items.length, 1);
    assert.equal(await served.stop(), 0);
    assert.equal((await last.opened.closed).code, 1001);
  });

  it('keeps its port while no host is there, starts none before a client comes, and ends then as well', async () => {
    verifies('host.served.direct');
    const served = await serve(place, root);
    assert.equal((await place.run(['stop'])).code, 0);
    await assert.rejects(place.run(['status']).then(({ stdout }) => JSON.parse(stdout)));
    const port = Number(new URL(served.url).port);
    await until('the port is held', async () => !(await canListen(port)));
    const [one, two] = await Promise.all([connect(served, 'one'), connect(served, 'two')]);
    for (const it of [one, two]) assert.equal(await it.request('ping', {}), null);
    assert.equal((await place.run(['stop'])).code, 0);
    await one.opened.closed;
    await until('the port is held', async () => !(await canListen(port)));
    assert.equal(await served.stop(), 0);
    assert.equal(await canListen(port), true);
  });

  it('does not end the host with itself, nor the host while it serves', async () => {
    const served = await serve(place, root);
    const near = new HostPeer(place.start().peer);
    await near.initialize('near', testWindow);
    const far = await connect(served, 'far');
    const { session } = await far.newSession();
    assert.equal(await served.stop(), 0);
    await near.subscribe(session);
    assert.equal(near.session(session).lifecycle, 'ready');
  });

  for (const { says, args, message } of [
    { says: 'no port', args: ['--token-file', 'F'], message: /--port/ },
    { says: 'no file for the token', args: ['--port', '0'], message: /--token-file/ },
    {
      says: 'an address of the network',
      args: ['--port', '0', '--token-file', 'F', '--host', '0.0.0.0'],
      message:
        /\. To reach it from elsewhere, put a TLS proxy in front of it and specify the proxy's hostname with --allow-host/,
    },
    {
      says: 'a limit that is none',
      args: ['--port', '0', '--token-file', 'F', '--limits-file', 'L'],
      message: /messageBytes: /,
    },
    {
      says: 'a window that is none',
      args: ['--port', '0', '--token-file', 'F', '--window-file', 'L'],
      message: /The window settings in .* cannot be used: /,
    },
    { says: 'a token that others can read', args: ['--port', '0', '--token-file', 'O'], message: /0600/ },
    { says: 'a token that is short', args: ['--port', '0', '--token-file', 'S'], message: /at least 16 characters/ },
  ]) {
    it(`says what is wrong with ${says}, and ends`, async () => {
      const files = { F: 'a-token-of-the-test', L: '{"messageBytes":"many"}', O: 'a-token-of-the-test', S: 'short' };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text, { mode: 0o600 });
      chmodSync(join(root, 'O'), 0o644);
      const { code, stderr } = await place.run(['serve', ...args.map((it) => (it in files ? join(root, it) : it))]);
      assert.match(stderr, message);
      assert.ok(code === exitCodes.usage || code === exitCodes.badFolder, `exit code ${code}`);
    });
  }

  it('makes a token that only its user can read where there is none', async () => {
    const tokenFile = join(root, 'made');
    const child = place.spawn(['serve', '--port', '0', '--token-file', tokenFile]);
    await new Promise((resolve) => void child.stdout.once('data', resolve));
    assert.match(readFileSync(tokenFile, 'utf8'), /^[\w-]{43}\n$/);
    assert.equal(statSync(tokenFile).mode & 0o777, 0o600);
  });
});
