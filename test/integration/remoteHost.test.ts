import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { WebSocketServer } from 'ws';
import type { ChatState } from '../../sidecar/protocol/channels/chat/schema.ts';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { ROOT, sessionUri } from '../../sidecar/protocol/uris.ts';
import { Hosts } from '../../src/client/hosts.ts';
import { openWebSocketConnection } from '../../src/remote/webSocketConnection.ts';
import { Far } from '../support/host/far.ts';
import { type Served, serve } from '../support/host/served.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { until } from '../support/until.ts';

const ASK = '# Ask\n\n```ask\nname: colour\nmessage: Which colour?\n```\n\nThank you.\n';

describe('a window attached to a host elsewhere', () => {
  let place: SidecarPlace;
  let root: string;
  let folder: string;
  const fars: Far[] = [];
  beforeEach(() => {
    place = openSidecarPlace();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-far-')));
    folder = join(root, 'project');
    mkdirSync(join(folder, '.switchboard/runbooks'), { recursive: true });
    writeFileSync(join(folder, '.switchboard/runbooks/ask.md'), ASK);
    writeFileSync(join(folder, 'there.txt'), 'of the other machine\n');
  });
  afterEach(async () => {
    for (const it of fars.splice(0)) {
      it.remote.dispose();
      it.host.client.dispose();
    }
    await place.close();
    rmSync(root, { recursive: true, force: true });
  });

  function attach(served: Pick<Served, 'url' | 'token'>, token: string | undefined = served.token): Far {
    const far = new Far(served.url, token);
    fars.push(far);
    far.remote.start();
    return far;
  }
  async function newSession({ host: { client } }: Far) {
    const session = sessionUri(crypto.randomUUID());
    const workingDirectories = [pathToFileURL(folder).href];
    await client.request('createSession', { channel: session, provider: 'runbook', workingDirectories });
    const view = client.open<SessionState>(session);
    await until('the session is ready', () => view.shown?.lifecycle === 'ready');
    const chat = view.shown?.defaultChat ?? '';
    return { session, chat, view: client.open<ChatState>(chat) };
  }
  const prompt = ({ host }: Far, chat: string, text: string) =>
    host.client.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: crypto.randomUUID(),
      startedAt: new Date().toISOString(),
      message: { text, origin: { kind: 'user' } },
    } as AnyAction);

  it('runs a session there, answers its question, and reads its files there', async () => {
    const served = await serve(place, root);
    const far = attach(served);
    await far.is('attached');
    const here = new Far('', undefined, 'Here');
    const hosts = new Hosts(here.host);
    hosts.setOthers([far.host]);
    const { session, chat, view } = await newSession(far);
    prompt(far, chat, '/ask');
    await until('the question waits', () => hosts.attention.pending.length === 1);
    const [pending] = hosts.attention.pending;
    assert.match(pending?.session.title ?? '', / · Far$/);
    assert.equal(hosts.of(session), far.host);
    assert.equal(hosts.of(chat), far.host);
    assert.equal(hosts.of(sessionUri(crypto.randomUUID())), here.host);
    const { request } = pending!;
    assert.ok(request.kind === 'chatInput');
    const question = request.request.questions?.[0]?.id ?? '';
    const answer = { state: 'submitted', value: { kind: 'text', value: 'blue' } } as const;
    hosts.of(session).client.dispatch(chat, {
      type: 'chat/inputCompleted',
      requestId: request.request.id,
      response: 'accept',
      answers: { [question]: answer },
    } as AnyAction);
    await until('the turn ended', () => view.shown?.turns[0]?.state === 'complete');
    await until('nothing waits', () => hosts.attention.pending.length === 0);
    const uri = pathToFileURL(join(folder, 'there.txt')).href;
    const read = await far.host.client.request('resourceRead', { uri, encoding: 'base64' });
    assert.equal(Buffer.from(read.data, 'base64').toString(), 'of the other machine\n');
    hosts.setOthers([]);
    assert.deepEqual(hosts.sessions, []);
  });

  it('has the agents of whoever serves, and none of its own', async () => {
    const windowFile = join(root, 'window.json');
    const agents = [{ id: 'there', displayName: 'Agent of the other machine', command: 'no-such-program' }];
    writeFileSync(windowFile, JSON.stringify({ agents }));
    const far = attach(await serve(place, root, {}, ['--window-file', windowFile]));
    await far.is('attached');
    const view = far.host.client.open<RootState>(ROOT);
    await until('its agent is offered', () => view.shown?.agents.some((it) => it.provider === 'there') ?? false);
  });

  it('is sent away with a wrong token, tries no more, and comes in with the right one', async () => {
    const served = await serve(place, root);
    const far = attach(served, 'a-wrong-token-of-some-length');
    await far.is('tokenRefused');
    await assert.rejects(far.host.client.request('root/listSessions', {}), /tokenRefused/);
    far.token = served.token;
    far.remote.retry();
    await far.is('attached');
    assert.deepEqual(far.warned, []);
  });

  it('is lost when the server is killed, and has its sessions again when it is back at its address', async () => {
    const first = await serve(place, root);
    const { port } = new URL(first.url);
    const far = attach(first);
    await far.is('attached');
    const { session, chat, view } = await newSession(far);
    prompt(far, chat, '/ask');
    await until('the question waits', () => far.host.attention.pending.length === 1);
    await first.stop();
    await far.is('lost');
    await place.killHost();
    const tokenFile = join(root, 'token');
    writeFileSync(tokenFile, first.token, { mode: 0o600 });
    place.spawn(['serve', '--port', port, '--token-file', tokenFile]);
    await far.is('attached');
    await until('the turn is known to have ended', () => view.shown?.turns[0]?.state === 'error');
    assert.ok(far.host.catalogue.get(session));
  });

  it('gives its token to the address alone: a server that sends it elsewhere is none, and gets it in a header', async () => {
    const asked: IncomingMessage[] = [];
    const elsewhere = createServer((request, response) => {
      asked.push(request);
      response.end();
    });
    const server = createServer();
    server.on('upgrade', (request, socket) => {
      asked.push(request);
      const { port } = elsewhere.address() as AddressInfo;
      socket.end(`HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${port}/\r\nContent-Length: 0\r\n\r\n`);
    });
    for (const it of [elsewhere, server]) await new Promise<void>((resolve) => void it.listen(0, '127.0.0.1', resolve));
    try {
      const token = 'a-token-of-some-length';
      const far = attach({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, token });
      await far.is('lost');
      far.remote.dispose();
      const [first] = asked;
      assert.equal(first?.headers.authorization, `Bearer ${token}`);
      assert.equal(first?.url, '/');
      assert.ok(asked.every((it) => it.socket.localPort === first?.socket.localPort));
    } finally {
      for (const it of [elsewhere, server]) it.close();
    }
  });

  for (const [stage, upgrade] of [
    ['the upgrade', false],
    ['initialize', true],
  ] as const) {
    it(`is given up with a reason for a person when it never answers ${stage}`, async () => {
      const server = createServer();
      const silent = new WebSocketServer({ noServer: true });
      const sockets = new Set<Duplex>();
      server.on('upgrade', (request, socket, head) => {
        sockets.add(socket);
        if (upgrade) silent.handleUpgrade(request, socket, head, () => {});
      });
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      try {
        const opening = openWebSocketConnection({
          address: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
          token: 'a-token-of-some-length',
          signal: new AbortController().signal,
          initializeParams: {},
          openingMs: 500,
        });
        await assert.rejects(opening, { name: 'NoAnswer', message: 'no answer within 0.5 s' });
      } finally {
        for (const it of sockets) it.destroy();
        server.close();
      }
    });
  }
});
