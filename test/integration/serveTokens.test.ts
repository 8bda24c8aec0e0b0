import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { exitCodes } from '../../sidecar/launch/failure.ts';
import type { TerminalState } from '../../sidecar/protocol/channels/terminal/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { ROOT, sessionUri } from '../../sidecar/protocol/uris.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { type Heard, RawClient } from '../support/host/rawClient.ts';
import { type Served, serve } from '../support/host/served.ts';
import { type OpenedWebSocket, openWebSocket } from '../support/host/webSocketStream.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { verifies } from '../support/verifies.ts';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('clients of switchboard serve that have tokens of their own', () => {
  let place: SidecarPlace;
  let root: string;
  let served: Served;
  beforeEach(async () => {
    place = openSidecarPlace();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-tokens-')));
    served = await serve(place, root);
  });
  afterEach(async () => {
    await place.close();
    rmSync(root, { recursive: true, force: true });
  });

  const token = async (...words: string[]) => place.run(['serve', 'token', ...words]);
  async function create(name: string): Promise<string> {
    const { code, stdout, stderr } = await token('create', name);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  }
  async function connect(clientId: string, given: string): Promise<HostPeer & { opened: OpenedWebSocket }> {
    const opened = await openWebSocket(served.url, bearer(given));
    const peer = Object.assign(new HostPeer(opened.stream), { opened });
    await peer.initialize(clientId, testWindow);
    return peer;
  }
  const file = () => join(place.dataDir, 'serve-tokens.json');

  it('get one that is printed once and kept as a hash, are listed without it, and are gone when it is revoked', async () => {
    verifies('host.client.tokens');
    const [alice, bob] = [await create('alice'), await create('bob')];
    assert.match(alice, /^[\w-]{43}$/);
    assert.notEqual(alice, bob);
    const kept = readFileSync(file(), 'utf8');
    assert.ok(!kept.includes(alice) && !kept.includes(bob));
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    const listed = JSON.parse((await token('list')).stdout) as { id: string; name: string }[];
    assert.deepEqual(
      listed.map((it) => [Object.keys(it).sort(), it.name]),
      [
        [['createdAt', 'id', 'name'], 'alice'],
        [['createdAt', 'id', 'name'], 'bob'],
      ],
    );
    const [one, other, shared] = [await connect('a', alice), await connect('b', bob), await connect('c', served.token)];
    assert.equal((await token('revoke', 'alice')).code, 0);
    assert.deepEqual(await one.opened.closed, { code: 1008, reason: 'the token was revoked' });
    await assert.rejects(openWebSocket(served.url, bearer(alice)), /401/);
    for (const it of [other, shared]) assert.equal(await it.request('ping', {}), null);
    assert.equal((await token('revoke', listed[1]!.id)).code, 0);
    assert.equal((await other.opened.closed).code, 1008);
    assert.equal(await shared.request('ping', {}), null);
    // A new one of the same name is another one.
    await create('alice');
    await assert.rejects(openWebSocket(served.url, bearer(alice)), /401/);
    for (const it of [alice, bob]) assert.ok(!served.stderr().includes(it));
  });

  for (const { says, words, expected } of [
    { says: 'a name that is taken', words: ['create', 'alice'], expected: /A token named "alice" already exists/ },
    { says: 'no name', words: ['create'], expected: /requires a name/ },
    {
      says: 'a name with a line in it',
      words: ['create', 'a\nb'],
      expected: /requires a name/,
    },
    { says: 'one that is not there', words: ['revoke', 'nobody'], expected: /No token has the name or ID "/ },
    { says: 'another word', words: ['show'], expected: /create NAME, list, or revoke NAME/ },
    { says: 'a word too many', words: ['list', 'all'], expected: /create NAME, list, or revoke NAME/ },
  ]) {
    it(`are not changed by ${says}, which is said`, async () => {
      verifies('host.client.tokens');
      await create('alice');
      const before = readFileSync(file(), 'utf8');
      const { code, stderr } = await token(...words);
      assert.equal(code, exitCodes.usage);
      assert.match(stderr, expected);
      assert.equal(readFileSync(file(), 'utf8'), before);
    });
  }

  it('are all sent away while their list is damaged', async () => {
    verifies('host.client.tokens');
    const alice = await create('alice');
    const peer = await connect('a', alice);
    writeFileSync(file(), readFileSync(file(), 'utf8').slice(0, -5));
    chmodSync(file(), 0o600);
    assert.equal((await peer.opened.closed).code, 1008);
    await assert.rejects(openWebSocket(served.url, bearer(alice)), /401/);
    assert.equal((await token('create', 'bob')).code, exitCodes.badFolder);
  });

  it('cannot become one another in any of twenty ways', async () => {
    verifies('host.client.id-bound');
    const [aliceToken, malloryToken] = [await create('alice'), await create('mallory')];
    const alice = await connect('alice', aliceToken);
    const workingDirectories = [pathToFileURL(root).href];
    const { session } = await alice.newSession({ workingDirectories });
    const activeClient = {
      clientId: 'alice',
      tools: [{ name: 'secret', description: 'x', inputSchema: { type: 'object' } }],
    };
    const set = await alice.act(session, { type: 'session/activeClientSet', activeClient } as AnyAction);
    assert.equal(set.rejectionReason, undefined);
    const terminal = `host-terminal:/${randomUUID()}`;
    await alice.request('createTerminal', { channel: terminal, claim: { kind: 'client', clientId: 'alice' } });
    await alice.subscribe<TerminalState>(terminal);
    // A client that broke off a moment ago is still known.
    const gone = await connect('gone', aliceToken);
    await gone.subscribe(session);
    gone.opened.socket.terminate();
    await gone.opened.closed;

    const mallory = await connect('mallory', malloryToken);
    await mallory.subscribe(session);
    await mallory.subscribe(terminal);
    let ids = 0;
    /** A new connection with a token, which says these messages; its last answer. */
    const says = async (given: string, ...messages: (string | object)[]): Promise<Heard> => {
      const opened = await openWebSocket(served.url, bearer(given));
      const raw = new RawClient(opened.stream);
      let last: Heard | undefined;
      for (const it of messages) {
        ids += 1;
        const id = ids;
        raw.send(typeof it === 'string' ? it.replace('"ID"', String(id)) : { jsonrpc: '2.0', id, ...it });
        last = await raw.answerTo(id);
      }
      opened.socket.close();
      return last!;
    };
    const hello = (clientId: string, more: object = {}) => ({
      method: 'initialize',
      params: { channel: ROOT, protocolVersions: ['0.7.0'], clientId, initialSubscriptions: [], ...more },
    });
    const back = (clientId: string, more: object = {}) => ({
      method: 'reconnect',
      params: { channel: ROOT, clientId, lastSeenServerSeq: 0, subscriptions: [session], ...more },
    });
    const asPublic = { channel: 'ahp-root://', protocolVersions: ['0.9.0'] };
    const doubled = (first: string, second: string) =>
      `{"jsonrpc":"2.0","id":"ID","method":"initialize","params":{"channel":"${ROOT}","protocolVersions":["0.7.0"],"initialSubscriptions":[],"clientId":"${first}","clientId":"${second}"}}`;
    const refusedWith = (code: number) => async (asked: Promise<Heard>) =>
      assert.equal((await asked).error?.code, code);
    const [forbidden, invalid] = [refusedWith(-32009), refusedWith(-32602)];
    const rejected = async (channel: string, action: object) =>
      assert.notEqual((await mallory.act(channel, action as AnyAction)).rejectionReason, undefined);
    const claim = { kind: 'client', clientId: 'alice' };
    const as = { kind: 'client', clientId: 'mallory' };

    const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['initialize with her id', () => forbidden(says(malloryToken, hello('alice')))],
      ['reconnect with her id', () => forbidden(says(malloryToken, back('alice')))],
      ['initialize as who broke off', () => forbidden(says(malloryToken, hello('gone')))],
      ['reconnect as who broke off', () => forbidden(says(malloryToken, back('gone')))],
      ['initialize by the public names', () => forbidden(says(malloryToken, hello('alice', asPublic)))],
      [
        'reconnect by the public names',
        async () => assert.ok((await says(malloryToken, back('alice', { channel: 'ahp-root://' }))).error),
      ],
      ['initialize again as her', () => invalid(says(malloryToken, hello('m2'), hello('alice')))],
      ['reconnect after initialize', () => invalid(says(malloryToken, hello('m3'), back('alice')))],
      ['initialize with the shared token', () => forbidden(says(served.token, hello('alice')))],
      ['reconnect with the shared token', () => forbidden(says(served.token, back('gone')))],
      ['an id that is written with escapes', () => forbidden(says(malloryToken, doubled('x', String.raw`\u0061lice`)))],
      ['two ids, hers last', () => forbidden(says(malloryToken, doubled('m4', 'alice')))],
      [
        'a window that says who it is',
        () =>
          forbidden(
            says(
              malloryToken,
              hello('alice', { initializationOptions: { window: { ...testWindow, clientId: 'alice' } } }),
            ),
          ),
      ],
      [
        'her place among the active clients',
        () => rejected(session, { type: 'session/activeClientSet', activeClient: { clientId: 'alice', tools: [] } }),
      ],
      ['her place taken away', () => rejected(session, { type: 'session/activeClientRemoved', clientId: 'alice' })],
      [
        'a session made in her name',
        () =>
          assert.rejects(
            mallory.request('createSession', { channel: sessionUri(randomUUID()), activeClient } as never),
            { code: -32602 },
          ),
      ],
      [
        'a terminal in her name',
        () =>
          assert.rejects(
            mallory.request('createTerminal', { channel: `host-terminal:/${randomUUID()}`, claim } as never),
            { code: -32602 },
          ),
      ],
      ['her terminal: typing', () => rejected(terminal, { type: 'terminal/input', data: 'echo pwned\n' })],
      ['her terminal: a claim', () => rejected(terminal, { type: 'terminal/claimed', claim: as })],
      [
        'her terminal: its end',
        () => assert.rejects(mallory.request('disposeTerminal', { channel: terminal }), { code: -32009 }),
      ],
      [
        'an action with her origin',
        async () => {
          const origin = { clientId: 'alice', clientSeq: 900 };
          const action = { type: 'session/titleChanged', title: 'by mallory' };
          mallory.peer.sendNotification('dispatchAction', { channel: session, clientSeq: 900, action, origin });
          await mallory.until(() => mallory.envelopes.some((it) => it.origin?.clientSeq === 900));
          assert.equal(mallory.envelopes.find((it) => it.origin?.clientSeq === 900)?.origin?.clientId, 'mallory');
        },
      ],
    ];
    assert.ok(ways.length >= 20);
    for (const [name, attempt] of ways) {
      await attempt();
      // What the victim sees: she is there, she holds what she held, and nothing was done in her name.
      assert.equal(await alice.request('ping', {}), null, name);
      assert.deepEqual(
        alice.session(session).activeClients.map((it) => [it.clientId, it.tools.length]),
        [['alice', 1]],
        name,
      );
      const { claim: held, content, exitCode } = alice.states.get(terminal) as TerminalState;
      assert.deepEqual([held, exitCode], [claim, undefined], name);
      assert.doesNotMatch(JSON.stringify(content), /pwned/, name);
    }
    // She herself comes back to what is hers.
    const { result } = await says(aliceToken, back('gone'));
    assert.ok(result);
  });

  it('bring no trust, agents, rules or environment of their own over WebSocket', async () => {
    verifies('host.client.window-narrows');
    const opened = await openWebSocket(served.url, bearer(await create('alice')));
    const peer = new HostPeer(opened.stream);
    const evil = { id: 'evil', displayName: 'Evil', command: '/bin/sh', args: ['-c', 'touch pwned'], env: [] };
    const window = { ...testWindow, trusted: false, agents: [evil], env: { PATH: '/evil' } };
    const { snapshots } = await peer.initialize('alice', window);
    assert.doesNotMatch(JSON.stringify(snapshots), /evil/);
    const { chat } = await peer.newSession({ workingDirectories: [pathToFileURL(root).href] });
    await assert.rejects(peer.prompt(chat, 'go'), /Trust this folder/);
    await assert.rejects(peer.newSession({ provider: 'evil' }), { code: -32002 });
    await peer
      .request('x-switchboard/windowChanged' as never, { window: { ...window, trusted: true } } as never)
      .catch(() => undefined);
    await assert.rejects(peer.newSession({ provider: 'evil' }), { code: -32002 });
  });
});
