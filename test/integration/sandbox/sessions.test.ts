import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, before, beforeEach, describe, it } from 'mocha';
import {
  isSandboxed,
  NOT_STARTED,
  SANDBOX,
  SANDBOX_META,
} from '../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { AnyAction } from '../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../sidecar/protocol/uris.ts';
import type { PermissionRule, WindowInfo } from '../../../sidecar/protocol/window.ts';
import type { HostPeer } from '../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../support/host/hostPlace.ts';
import { pathWithSandbox } from '../../support/sandbox/programs.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';

describe('a session with a sandbox', () => {
  let root: string;
  let work: string;
  let path: string;
  let place: HostPlace | undefined;
  let proxy: Server | undefined;
  /** Whether a sandbox can start on this machine. Known after the first prompt. */
  let canStart: boolean | undefined;
  before(async () => {
    path = await pathWithSandbox();
  });
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-boxed-')));
    work = join(root, 'work');
    mkdirSync(work);
  });
  afterEach(async () => {
    await place?.close();
    place = undefined;
    proxy?.closeAllConnections();
    proxy?.close();
    proxy = undefined;
    rmSync(root, { recursive: true, force: true });
  });

  const rules: PermissionRule[] = [{ id: 's', effect: 'allow', target: 'shell', pattern: '*', source: 'user' }];
  const open = async (more: Partial<WindowInfo> = {}, env: Record<string, string> = {}) => {
    place ??= await openHostPlace(undefined);
    return place.connect(`c${Math.random()}`, { rules, env: { PATH: path, HOME: root, ...env }, ...more });
  };
  const session = (peer: HostPeer, config?: Record<string, unknown>) =>
    peer.newSession({ provider: 'runbook', workingDirectories: [pathToFileURL(work).href], ...(config && { config }) });
  const boxed = (peer: HostPeer) => session(peer, { [SANDBOX]: 'on' });
  /** A prompt that runs a program in the folder. Rules cannot judge its contents. */
  const sh = (line: string) => {
    writeFileSync(join(work, 'go'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    return '```sh\n./go\n```';
  };
  const play = async (peer: HostPeer, chat: string, line: string) =>
    peer.ended(chat, await peer.prompt(chat, sh(line)));
  const held = (peer: HostPeer, uri: string) => isSandboxed(peer.session(uri).config?.values);

  /** The machine's proxy. It answers for every host. */
  const reached: string[] = [];
  const openProxy = async () => {
    reached.length = 0;
    proxy = createServer().listen(0, '127.0.0.1');
    proxy.on('connect', (request, socket) => {
      reached.push(String(request.url));
      socket.on('error', () => undefined); // the host ends what its session left open
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 7\r\nconnection: close\r\n\r\nreached'));
    });
    await new Promise((resolve) => void proxy?.once('listening', resolve));
    return { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  };
  const fetching = (host: string) =>
    `"${process.execPath}" -e 'fetch("http://${host}/").then((it) => it.text()).then(console.log)'`;

  const openQuestion = (peer: HostPeer, chat: string) =>
    (peer.chat(chat).activeTurn?.responseParts ?? []).flatMap((it) =>
      it.kind === 'inputRequest' && !it.response ? [it.request] : [],
    )[0];
  /** Answers the open question. @returns its message */
  const question = async (peer: HostPeer, chat: string, value: string) => {
    await peer.until(() => openQuestion(peer, chat) !== undefined, 'a question about the sandbox');
    const asked = openQuestion(peer, chat);
    const [only] = asked?.questions ?? [];
    const answers = { [only?.id ?? '']: { state: 'submitted', value: { kind: 'selected', value } } };
    await peer.act(chat, {
      type: 'chat/inputCompleted',
      requestId: asked?.id,
      response: 'accept',
      answers,
    } as AnyAction);
    return asked?.message ?? '';
  };

  it('has one only if the user or the setting chose it, and keeps it after a restart', async () => {
    verifies('host.sandbox.chosen');
    const peer = await open();
    const first = await boxed(peer);
    const second = await session(peer);
    assert.deepEqual([held(peer, first.session), held(peer, second.session)], [true, false]);
    const changed = { type: 'session/configChanged', config: { [SANDBOX]: 'off' } } as AnyAction;
    assert.match(String((await peer.act(first.session, changed)).rejectionReason), /cannot be changed now/);
    assert.equal(held(peer, first.session), true);
    const strict = await open({ sandbox: true });
    assert.equal(held(strict, (await session(strict)).session), true);
    assert.equal(held(strict, (await session(strict, { [SANDBOX]: 'off' })).session), false);
    await place?.restart();
    const later = await open();
    await later.subscribe(first.session);
    assert.equal(held(later, first.session), true);
  });

  it('confines the commands of its agent, but not those of another session', async () => {
    verifies('host.sandbox.confined', 'host.sandbox.never-off');
    const peer = await open();
    const { session: uri, chat } = await boxed(peer);
    const turnId = await peer.prompt(chat, sh('echo x > in; echo x > ../out; mkdir .git; echo x > .git/config'));
    await peer.until(
      () => peer.chat(chat).turns.some((it) => it.id === turnId) || openQuestion(peer, chat) !== undefined,
      'the end of the turn, or a question',
    );
    canStart = openQuestion(peer, chat) === undefined;
    if (!canStart) {
      assert.match(await question(peer, chat, 'stop'), /^A sandbox cannot start because /);
      assert.equal((await peer.ended(chat, turnId)).state, 'error');
      assert.equal(existsSync(join(work, 'in')), false);
      return;
    }
    assert.deepEqual([existsSync(join(work, 'in')), existsSync(join(root, 'out'))], [true, false]);
    assert.equal(existsSync(join(work, '.git', 'config')), false, 'a repository that the host would use was created');
    assert.equal(held(peer, uri), true);
    // The same command of another session is not confined.
    const free = await session(peer);
    await play(peer, free.chat, 'echo x > ../out');
    assert.equal(existsSync(join(root, 'out')), true);
  });

  it('asks once about a host, saves a wider answer as a rule, and records the decision', async () => {
    verifies('host.sandbox.hosts', 'host.sandbox.asks');
    const peer = await open({}, await openProxy());
    const { session: uri, chat } = await boxed(peer);
    const turnId = await peer.prompt(
      chat,
      sh(`${fetching('a.test')}; ${fetching('a.test')}; ${fetching('b.test')} || true`),
    );
    if (!canStart) {
      assert.match(await question(peer, chat, 'stop'), /^A sandbox cannot start because /);
      assert.equal((await peer.ended(chat, turnId)).state, 'error');
      return assert.deepEqual(reached, []);
    }
    const pending = () => peer.session(uri).inputNeeded ?? [];
    const answer = async (approved: boolean, option: string) => {
      await peer.until(() => pending().length === 1, 'a question about a host');
      const call = peer
        .chat(chat)
        .activeTurn?.responseParts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall] : []))
        .findLast((it) => it.status === 'pending-confirmation');
      const reply = approved
        ? { approved, confirmed: 'user-action', selectedOptionId: option }
        : { approved, reason: 'denied', selectedOptionId: option };
      const confirmed = { type: 'chat/toolCallConfirmed', turnId, toolCallId: call?.toolCallId, ...reply };
      await peer.act(chat, confirmed as AnyAction);
      await peer.until(() => pending().length === 0, 'no question');
      return call?.status === 'pending-confirmation' ? call.invocationMessage : undefined;
    };
    assert.deepEqual(await answer(true, 'allow-session'), { markdown: 'Connect to a\\.test' });
    assert.deepEqual(await answer(false, 'deny'), { markdown: 'Connect to b\\.test' });
    await peer.ended(chat, turnId);
    assert.deepEqual(reached, ['a.test:80', 'a.test:80']);
    const decisions = await peer.request('x-switchboard/decisions', { session: uri });
    assert.deepEqual(
      decisions.items.filter((it) => it.what.includes('.test')).map(({ allowed, by }) => [allowed, by]),
      [
        [false, 'person'],
        [true, 'person'],
      ],
    );
    await play(peer, chat, fetching('a.test'));
    assert.equal(reached.length, 3);
    // The rule holds in this session only.
    const other = await boxed(peer);
    await peer.prompt(other.chat, sh(fetching('a.test')));
    await peer.until(
      () => (peer.session(other.session).inputNeeded ?? []).length === 1,
      'a question in the other session',
    );
    assert.equal(reached.length, 3);
  });

  it('denies a host for good if the user says so, also in other sessions', async () => {
    verifies('host.sandbox.deny-always');
    const peer = await open({}, await openProxy());
    const { session: uri, chat } = await boxed(peer);
    const turnId = await peer.prompt(chat, sh(`${fetching('a.test')} || true`));
    if (!canStart) {
      assert.match(await question(peer, chat, 'stop'), /^A sandbox cannot start because /);
      return assert.equal((await peer.ended(chat, turnId)).state, 'error');
    }
    await peer.until(() => (peer.session(uri).inputNeeded ?? []).length === 1, 'a question about a host');
    const call = peer
      .chat(chat)
      .activeTurn?.responseParts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall] : []))
      .findLast((it) => it.status === 'pending-confirmation');
    const reply = { approved: false, reason: 'denied', selectedOptionId: 'deny-always' };
    await peer.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId: call?.toolCallId,
      ...reply,
    } as AnyAction);
    await peer.ended(chat, turnId);
    // Another session is not asked.
    const other = await boxed(peer);
    await play(peer, other.chat, `${fetching('a.test')} || true`);
    assert.deepEqual(reached, []);
    const { items } = await peer.request('x-switchboard/rules', {});
    const saved = items.filter((it) => it.source === 'granted');
    assert.deepEqual(
      saved.map(({ effect, target }) => [effect, target]),
      [['deny', 'fetch']],
    );
  });

  it('stops connecting to a host as soon as a rule denies it during the turn', async () => {
    verifies('host.sandbox.hosts');
    const env = { PATH: path, HOME: root, ...(await openProxy()) };
    const about = (effect: 'allow' | 'deny') =>
      ({ id: effect, effect, target: 'fetch', pattern: 'http://a.test/*', source: 'user' }) as const;
    const peer = await open({ rules: [...rules, about('allow')] }, env);
    const { session: uri, chat } = await boxed(peer);
    const fetched = fetching('a.test');
    const waits = 'until [ -e more ]; do sleep 0.05; done';
    const turnId = await peer.prompt(chat, sh(`${fetched}; ${fetched}; touch twice; ${waits}; ${fetched} || true`));
    if (!canStart) {
      assert.match(await question(peer, chat, 'stop'), /^A sandbox cannot start because /);
      return assert.equal((await peer.ended(chat, turnId)).state, 'error');
    }
    await until('two connections are over', () => existsSync(join(work, 'twice')));
    assert.deepEqual(reached, ['a.test:80', 'a.test:80']);
    const window = { ...testWindow, env, rules: [...rules, about('allow'), about('deny')] };
    peer.peer.sendNotification('x-switchboard/windowChanged', { channel: ROOT, window });
    await peer.request('x-switchboard/decisions', { session: uri }); // the notification was handled before
    writeFileSync(join(work, 'more'), '');
    await peer.ended(chat, turnId);
    assert.equal(reached.length, 2);
  });

  it('runs nothing if its sandbox cannot start, until the user continues without it', async () => {
    verifies('host.sandbox.never-off');
    const peer = await open({}, { PATH: '/nowhere' });
    const { session: uri, chat } = await boxed(peer);
    const first = await peer.prompt(chat, sh('echo x > ran'));
    assert.match(
      await question(peer, chat, 'stop'),
      /^A sandbox cannot start because these programs were not found: bwrap, socat\./,
    );
    assert.equal((await peer.ended(chat, first)).state, 'error');
    assert.deepEqual([existsSync(join(work, 'ran')), held(peer, uri)], [false, true]);
    const noted = () => peer.session(uri)._meta?.[SANDBOX_META];
    assert.equal(noted(), NOT_STARTED);
    const listed = async () => (await peer.request('listSessions', {})).items.find((it) => it.resource === uri);
    assert.equal((await listed())?._meta?.[SANDBOX_META], NOT_STARTED);
    const second = await peer.prompt(chat, sh('echo x > ran'));
    await question(peer, chat, 'without');
    await peer.ended(chat, second);
    assert.deepEqual([existsSync(join(work, 'ran')), held(peer, uri)], [true, false]);
    assert.deepEqual([noted(), (await listed())?._meta?.[SANDBOX_META]], [undefined, undefined]);
  });
});
