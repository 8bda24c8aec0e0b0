import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { CLIENT_GRACE_MS } from '../../../../../sidecar/host/rpc/clients.ts';
import type { RootState } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import type { TerminalAction, TerminalState } from '../../../../../sidecar/protocol/channels/terminal/schema.ts';
import { errorCodes } from '../../../../../sidecar/protocol/errors.ts';
import type { RequestParams } from '../../../../../sidecar/protocol/methods.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { testWindow } from '../../../../support/host/hostPlace.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { openResourcePlace, type ResourcePlace, uriOf } from '../../../../support/resources/resourcePlace.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

const { InvalidParams, PermissionDenied, AlreadyExists, NotFound, SessionNotFound } = errorCodes;
const GRACE_MS = 30_000;

describe('terminals', () => {
  let place: ResourcePlace;
  let timers: ManualTimers;
  beforeEach(async () => {
    timers = new ManualTimers();
    place = await openResourcePlace({ timers });
  });
  afterEach(() => place.close());

  const newUri = () => `host-terminal:/${randomUUID()}`;
  const mine = { kind: 'client', clientId: 'c1' } as const;
  const ofSession = () => ({ kind: 'session', session: place.session }) as const;
  /** A shell without the settings of whoever runs this. */
  const window = () => ({
    ...testWindow,
    env: { SHELL: '/bin/bash', HOME: place.base, PATH: process.env['PATH'] ?? '' },
  });
  async function create(more: Partial<RequestParams<'createTerminal'>> = {}, peer = place.peer): Promise<string> {
    const channel = newUri();
    peer.peer.sendNotification('x-switchboard/windowChanged', { channel: ROOT, window: window() });
    await peer.request('createTerminal', { channel, claim: mine, ...more });
    await peer.subscribe(channel);
    return channel;
  }
  const state = (channel: string, peer = place.peer) => peer.states.get(channel) as TerminalState;
  const type = (channel: string, data: string, peer = place.peer) =>
    peer.act(channel, { type: 'terminal/input', data } as TerminalAction);
  const raw = (channel: string) =>
    state(channel)
      .content.map((it) => (it.type === 'command' ? it.output : it.value))
      .join('');
  const root = (peer = place.peer) => peer.states.get(ROOT) as RootState;
  const ready = (channel: string) => place.peer.until(() => state(channel).supportsCommandDetection === true);
  const refused = async (channel: string, action: TerminalAction, peer: HostPeer) =>
    (await peer.act(channel, action)).rejectionReason;

  it('are real: a program sees a terminal of the given size, in the given folder', async () => {
    const channel = await create({ name: 'Build', cwd: uriOf(join(place.inside, 'sub')), cols: 91, rows: 33 });
    const { title, claim, cols, rows, isPty, cwd } = state(channel);
    assert.deepEqual(
      { title, claim, cols, rows, isPty, cwd },
      { title: 'Build', claim: mine, cols: 91, rows: 33, isPty: true, cwd: uriOf(join(place.inside, 'sub')) },
    );
    await type(channel, 'test -t 1 && echo "tty $(stty size) $PWD"\r');
    await place.peer.until(() => raw(channel).includes(`tty 33 91 ${join(place.inside, 'sub')}`));
    await place.peer.act(channel, { type: 'terminal/resized', cols: 50, rows: 20 } as TerminalAction);
    await type(channel, 'stty size\r');
    await place.peer.until(() => raw(channel).includes('20 50'));
    assert.deepEqual([state(channel).cols, state(channel).rows], [50, 20]);
  });

  it('stand in the root from their creation on until they are disposed of', async () => {
    verifies('host.root.terminals', 'host.command.createTerminal', 'host.command.disposeTerminal');
    const channel = await create();
    await place.peer.until(() => root().terminals?.length === 1);
    assert.deepEqual(root().terminals, [{ resource: channel, title: 'bash', claim: mine }]);
    await place.peer.act(channel, { type: 'terminal/titleChanged', title: 'Mine' } as TerminalAction);
    await place.peer.until(() => root().terminals?.[0]?.title === 'Mine');
    assert.equal(await place.peer.request('disposeTerminal', { channel }), null);
    await place.peer.until(() => root().terminals?.length === 0);
    await assert.rejects(place.peer.request('subscribe', { channel }), { code: SessionNotFound });
    await assert.rejects(place.peer.request('disposeTerminal', { channel }), { code: SessionNotFound });
  });

  it('tell of each command its text, output, end and folder, and strip what the shell says about them', async () => {
    const channel = await create();
    await ready(channel);
    await type(channel, 'echo "a;b" && cd sub && false\r');
    const commands = () => state(channel).content.filter((it) => it.type === 'command');
    await place.peer.until(() => commands()[0]?.isComplete === true);
    const [first] = commands();
    assert.equal(first?.commandLine, 'echo "a;b" && cd sub && false');
    assert.equal(first?.exitCode, 1);
    assert.ok(first?.output.includes('a;b'));
    assert.ok(first.durationMs! >= 0 && Number.isInteger(first.timestamp));
    await place.peer.until(() => state(channel).cwd === uriOf(join(place.inside, 'sub')));
    await type(channel, 'true\r');
    await place.peer.until(() => commands()[1]?.isComplete === true);
    assert.equal(commands()[1]?.exitCode, 0);
    assert.ok(!raw(channel).includes(']633;'));
  });

  it('believe no command that a program in them only pretends', async () => {
    const channel = await create();
    await ready(channel);
    await type(channel, `printf '\\033]633;nonce;E;sudo evil\\007\\033]633;E;evil\\007done\\n'; env | grep -c NONCE\r`);
    await place.peer.until(() => state(channel).content.some((it) => it.type === 'command' && it.isComplete));
    const lines = state(channel).content.flatMap((it) => (it.type === 'command' ? [it] : []));
    assert.equal(lines.length, 1);
    assert.match(lines[0]!.output, /done\s+0\s/);
  });

  it('give programs neither the keys of the window nor variables of the editor', async () => {
    place.peer.peer.sendNotification('x-switchboard/windowChanged', {
      channel: ROOT,
      window: {
        ...window(),
        env: { ...window().env, MY_API_KEY: 'top-secret-value', VSCODE_PID: '1', NODE_OPTIONS: '--x' },
      },
    });
    const channel = newUri();
    await place.peer.request('createTerminal', { channel, claim: mine });
    await place.peer.subscribe(channel);
    await type(channel, 'env; echo the-"end"\r');
    await place.peer.until(() => raw(channel).includes('the-end'));
    assert.doesNotMatch(raw(channel), /top-secret-value|VSCODE_PID|NODE_OPTIONS/);
  });

  it('say how their program ended, and take no input then', async () => {
    const channel = await create();
    await type(channel, 'exit 7\r');
    await place.peer.until(() => state(channel).exitCode === 7);
    await place.peer.until(() => root().terminals?.[0]?.exitCode === 7);
    assert.match((await refused(channel, { type: 'terminal/input', data: 'x' }, place.peer)) ?? '', /has ended/);
  });

  it('are for whoever holds them: another client can look, and neither type, claim nor dispose', async () => {
    const channel = await create();
    const other = await place.host.connect('c2');
    await other.subscribe(channel);
    for (const action of [
      { type: 'terminal/input', data: 'id\r' },
      { type: 'terminal/resized', cols: 10, rows: 10 },
      { type: 'terminal/titleChanged', title: 'x' },
      { type: 'terminal/cleared' },
      { type: 'terminal/claimed', claim: { kind: 'client', clientId: 'c2' } },
    ] as TerminalAction[]) {
      assert.match((await refused(channel, action, other)) ?? '', /this terminal is controlled by another client/);
    }
    await assert.rejects(other.request('disposeTerminal', { channel }), { code: PermissionDenied, data: {} });
    await place.peer.act(channel, {
      type: 'terminal/claimed',
      claim: { kind: 'client', clientId: 'c2' },
    } as TerminalAction);
    assert.equal(await refused(channel, { type: 'terminal/resized', cols: 10, rows: 10 }, other), undefined);
    assert.match(
      (await refused(channel, { type: 'terminal/input', data: 'x' }, place.peer)) ?? '',
      /this terminal is controlled by another client/,
    );
  });

  it('of a session are for all who look at it', async () => {
    const channel = await create({ claim: ofSession() });
    const other = await place.host.connect('c2');
    await other.subscribe(channel);
    assert.match(
      (await refused(channel, { type: 'terminal/input', data: 'x' }, other)) ?? '',
      /this terminal is controlled by another client/,
    );
    await other.subscribe(place.session);
    await type(channel, 'echo from-"two"\r', other);
    await place.peer.until(() => raw(channel).includes('from-two'));
  });

  for (const { says, params, code } of [
    {
      says: 'with the claim of another client',
      params: () => ({ claim: { kind: 'client', clientId: 'c9' } as const }),
      code: InvalidParams,
    },
    {
      says: 'for a session that the client does not look at',
      params: () => ({ claim: { kind: 'session', session: 'host-session:/none' } as const }),
      code: InvalidParams,
    },
    {
      says: 'for a tool call that does not run',
      params: () => ({ claim: { ...ofSession(), turnId: 't', toolCallId: 'k' } }),
      code: InvalidParams,
    },
    { says: 'under a URI of another kind', params: () => ({ channel: 'host-chat:/x' }), code: InvalidParams },
    { says: 'in a folder outside', params: () => ({ cwd: uriOf(place.outside) }), code: PermissionDenied },
    {
      says: 'in a folder outside, through a link',
      params: () => ({ cwd: uriOf(join(place.inside, 'out-folder')) }),
      code: PermissionDenied,
    },
    {
      says: 'in a folder that is not there',
      params: () => ({ cwd: uriOf(join(place.inside, 'none')) }),
      code: NotFound,
    },
    { says: 'in a file', params: () => ({ cwd: uriOf(join(place.inside, 'a.txt')) }), code: InvalidParams },
    { says: 'without a column', params: () => ({ cols: 0 }), code: InvalidParams },
    { says: 'with rows without end', params: () => ({ rows: 100_000 }), code: InvalidParams },
  ]) {
    it(`are not made ${says}`, async () => {
      await assert.rejects(create(params()), { code });
      assert.equal(root().terminals, undefined);
    });
  }
  it('are not made twice, nor by a window whose folder is not trusted', async () => {
    const channel = await create();
    await assert.rejects(create({ channel }), { code: AlreadyExists });
    const restricted = await place.host.connect('c3', { trusted: false });
    await restricted.subscribe(place.session);
    const claim = { kind: 'client', clientId: 'c3' } as const;
    await assert.rejects(restricted.request('createTerminal', { channel: newUri(), claim }), {
      code: PermissionDenied,
      data: {},
    });
  });

  it('are made once where two requests name the same one at the same time', async () => {
    const channel = newUri();
    const made = [1, 2].map(() => place.peer.request('createTerminal', { channel, claim: mine, name: 'Twice' }));
    const [first, second] = await Promise.allSettled(made);
    assert.equal(first?.status, 'fulfilled');
    assert.ok(second?.status === 'rejected');
    assert.equal((second.reason as { readonly code: number }).code, AlreadyExists);
    const { items } = await place.peer.request('x-switchboard/processes', {});
    assert.equal(items.filter((it) => it.title === 'Twice').length, 1);
  });

  it('refuse input, sizes and titles that are out of bounds', async () => {
    const channel = await create();
    const long = 'x'.repeat(64 * 1024 + 1);
    assert.match((await refused(channel, { type: 'terminal/input', data: long }, place.peer)) ?? '', /^data:/);
    assert.match(
      (await refused(channel, { type: 'terminal/resized', cols: 0, rows: 1 }, place.peer)) ?? '',
      /^cols, rows:/,
    );
    assert.match((await refused(channel, { type: 'terminal/titleChanged', title: ' ' }, place.peer)) ?? '', /^title:/);
    assert.match(
      (await refused(channel, { type: 'terminal/exited' }, place.peer)) ?? '',
      /clients must not dispatch this action/,
    );
  });

  it('keep no more than their scrollback, and go on under a flood', async () => {
    const channel = await create();
    await ready(channel);
    await type(channel, 'yes 0123456789abcdef | head -n 120000; echo the-"end"\r');
    await place.peer.until(() => raw(channel).includes('the-end'));
    const second = await place.host.connect('c2');
    const { content } = await second.subscribe<TerminalState>(channel);
    const size = content.reduce((sum, it) => sum + (it.type === 'command' ? it.output : it.value).length, 0);
    assert.ok(size > 500_000 && size <= 1_400_000, String(size));
  });

  it('empty their screen for all when the holder clears it', async () => {
    const channel = await create();
    await ready(channel);
    await place.peer.act(channel, { type: 'terminal/cleared' } as TerminalAction);
    assert.deepEqual(state(channel).content, []);
  });

  const pidIn = async (channel: string) => {
    await type(channel, '(trap "" HUP; sleep 1000) & echo pid-$!-\r');
    const found = () => /pid-(\d+)-/.exec(raw(channel))?.[1];
    await place.peer.until(() => found() !== undefined);
    return Number(found());
  };
  const isGone = (pid: number) => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };

  it('end with all that runs in them when they are disposed of', async () => {
    const channel = await create();
    const pid = await pidIn(channel);
    assert.ok(!isGone(pid));
    await place.peer.request('disposeTerminal', { channel });
    await until('what ran in the background is gone', () => isGone(pid));
  });
  it('end with their session', async () => {
    const channel = await create({ claim: ofSession() });
    const pid = await pidIn(channel);
    await place.peer.request('disposeSession', { channel: place.session });
    await until('what ran is gone', () => isGone(pid));
    await assert.rejects(place.peer.request('subscribe', { channel }), { code: SessionNotFound });
  });
  it('end with their client, unless it comes back in time', async () => {
    const channel = await create();
    const pid = await pidIn(channel);
    const watcher = await place.host.connect('c2');
    place.peer.close();
    await until('its grace runs', () => timers.has(GRACE_MS));
    const back = place.host.connectSilently();
    await back.request('reconnect', { clientId: 'c1', lastSeenServerSeq: 0, subscriptions: [place.session] });
    timers.pass(GRACE_MS);
    assert.equal((root(watcher).terminals ?? []).length, 1);
    back.close();
    await until('its grace runs again', () => timers.has(GRACE_MS));
    timers.pass(GRACE_MS);
    await watcher.until(() => root(watcher).terminals?.length === 0);
    await until('what ran is gone', () => isGone(pid));
  });
  it('have one time of grace, which begins with the last break of their client', async () => {
    await create();
    const watcher = await place.host.connect('c2');
    place.peer.close();
    await until('its grace runs', () => timers.has(GRACE_MS));
    const back = place.host.connectSilently();
    await back.request('reconnect', { clientId: 'c1', lastSeenServerSeq: 0, subscriptions: [place.session] });
    back.close();
    await until('it is away again', () => timers.has(CLIENT_GRACE_MS));
    assert.equal(timers.count(GRACE_MS), 1);
    timers.pass(GRACE_MS);
    await watcher.until(() => root(watcher).terminals?.length === 0);
    assert.equal(timers.count(GRACE_MS), 0);
  });
  it('end with the host', async () => {
    const pid = await pidIn(await create());
    await place.host.restart();
    await until('what ran is gone', () => isGone(pid));
  });
});
