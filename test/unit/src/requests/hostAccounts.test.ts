import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Host } from '../../../../src/client/hosts.ts';
import { Listeners } from '../../../../src/client/listeners.ts';
import { Tokens } from '../../../../src/config/tokens.ts';
import { HostAccounts } from '../../../../src/requests/hostAccounts.ts';
import { MemorySecrets } from '../../../support/memorySecrets.ts';
import { verifies } from '../../../support/verifies.ts';

const resource = 'https://vault.test/api';
const FAR = 'wss://far.test';
const agents = [{ provider: 'p', displayName: 'Painter', protectedResources: [{ resource }] }];

/** A host as far as sign-ins go: what it is sent, and what it says. */
class Place {
  readonly sent: string[] = [];
  readonly connected = new Listeners<void>();
  readonly disconnected = new Listeners<string>();
  /** Calls of tools that wait for a token. */
  readonly pending: unknown[] = [];
  readonly waits = new Listeners<void>();
  readonly demands = new Listeners<{ resource: string; reason: string }>();
  readonly host: Host;

  constructor(id: string) {
    const client = {
      request: async (method: string, { resource: of, token }: { resource?: string; token?: string }) => {
        this.sent.push([method, of, token].filter(Boolean).join(' '));
        return {};
      },
      open: () => ({ shown: { agents }, onDidChange: () => ({ dispose: () => {} }), dispose: () => {} }),
      holds: () => true,
      onDidConnect: (listener: () => void) => this.connected.add(listener),
      onDidDisconnect: (listener: (reason: string) => void) => this.disconnected.add(listener),
      onNotification: (_name: string, listener: (it: { resource: string; reason: string }) => void) =>
        this.demands.add(listener),
    };
    const attention = {
      pending: this.pending,
      onDidChange: (listener: () => void) => this.waits.add(listener),
    };
    this.host = { id, name: id, client, attention } as unknown as Host;
  }
}

describe('the sign-ins of a window that is attached to several hosts', () => {
  let secrets: MemorySecrets;
  let own: Place;
  let far: Place;
  let all: Host[];
  let accounts: HostAccounts;
  const demanded: string[] = [];
  const changed = new Listeners<{ kind: 'list' }>();
  const soon = () => new Promise(setImmediate);
  const tokensOf = (id: string) => new Tokens(secrets, id);
  beforeEach(() => {
    demanded.length = 0;
    secrets = new MemorySecrets();
    own = new Place('');
    far = new Place(FAR);
    all = [own.host, far.host];
    accounts = new HostAccounts({
      hosts: {
        get all() {
          return all;
        },
        at: (id) => all.find((it) => it.id === id),
        of: (uri) => (uri.startsWith('far') ? far.host : own.host),
        onDidChange: (listener) => changed.add(listener),
      },
      tokensOf,
      discover: () => Promise.reject(new Error('nobody is there')),
      demanded: ({ host }, of, reason) => void demanded.push(`${host.id} ${of} ${reason}`),
      nowMs: () => 0,
      warn: () => undefined,
    });
  });

  afterEach(() => accounts.dispose());

  it('give a host elsewhere what was signed in to for it, and nothing that was for this machine', async () => {
    verifies('host.remote.sign-in');
    await tokensOf('').set(resource, { accessToken: 'own' });
    for (const it of [own, far]) it.connected.fire();
    await soon();
    assert.deepEqual([own.sent, far.sent], [[`authenticate ${resource} own`], []]);
    const there = accounts.at(FAR)!;
    assert.equal(await there.accounts.push(resource), false);
    assert.deepEqual(await accounts.missing(there, 'p'), { agent: 'Painter', resources: [{ resource }] });
    assert.equal(await there.accounts.keep(resource, { accessToken: 'far' }), true);
    assert.deepEqual([own.sent, far.sent], [[`authenticate ${resource} own`], [`authenticate ${resource} far`]]);
    assert.deepEqual((await accounts.missing(there, undefined)).resources, []);
    assert.deepEqual(await tokensOf('').resources(), [resource]);
    assert.equal((await tokensOf('').get(resource))?.accessToken, 'own');
  });

  it('end for one host alone', async () => {
    verifies('host.remote.sign-in');
    for (const it of accounts.all) await it.accounts.keep(resource, { accessToken: `for ${it.host.id}` });
    await accounts.at(FAR)!.accounts.signOut(resource);
    assert.deepEqual(far.sent.at(-1), `x-switchboard/forgetToken ${resource}`);
    assert.deepEqual([own.sent.length, (await tokensOf('').get(resource))?.accessToken], [1, 'for ']);
    assert.equal(await tokensOf(FAR).get(resource), undefined);
  });

  it('are asked for by the host that needs them, and given again after a break', async () => {
    verifies('host.remote.sign-in');
    far.demands.fire({ resource, reason: 'required' });
    assert.deepEqual(demanded, [`${FAR} ${resource} required`]);
    await accounts.of('far-session')!.accounts.keep(resource, { accessToken: 'far' });
    far.disconnected.fire('gone');
    far.connected.fire();
    await soon();
    assert.deepEqual([own.sent, far.sent.length], [[], 2]);
  });

  it('go no more to a host that is not attached to, and go to one that is new', async () => {
    verifies('host.remote.sign-in');
    await accounts.at(FAR)!.accounts.keep(resource, { accessToken: 'one' });
    all = [own.host];
    changed.fire({ kind: 'list' });
    assert.equal(accounts.at(FAR), undefined);
    await tokensOf(FAR).set(resource, { accessToken: 'two' });
    far.connected.fire();
    await soon();
    assert.equal(far.sent.length, 1);
    all = [own.host, far.host];
    changed.fire({ kind: 'list' });
    far.connected.fire();
    await soon();
    assert.deepEqual(far.sent.slice(1), [`authenticate ${resource} two`]);
  });

  it('are handed over once for each call of a tool that waits for them, and not where it wants more rights', async () => {
    verifies('host.remote.sign-in');
    await tokensOf(FAR).set(resource, { accessToken: 'far' });
    const wait = (key: string, reason: string, kind = 'toolAuthentication') => {
      far.pending.push({ key, request: { kind, toolCall: { auth: { resource: { resource }, reason } } } });
      far.waits.fire();
    };
    wait('confirm', 'required', 'toolConfirmation');
    wait('more', 'insufficientScope');
    await soon();
    assert.deepEqual(far.sent, []);
    wait('one', 'required');
    far.waits.fire();
    await soon();
    far.waits.fire();
    await soon();
    assert.deepEqual([far.sent, own.sent], [[`authenticate ${resource} far`], []]);
    wait('two', 'expired');
    await soon();
    assert.equal(far.sent.length, 1, 'what was refused is not sent again, and cannot be renewed');
    far.disconnected.fire('gone');
    far.connected.fire();
    await soon();
    far.waits.fire();
    await soon();
    assert.ok(far.sent.length > 2, 'after a break each is tried again');
  });

  it('follow the secret storage and the hosts until their end, and lists of sessions alone change no host', async () => {
    await accounts.at(FAR)!.accounts.keep(resource, { accessToken: 'one' });
    await tokensOf(FAR).set(resource, { accessToken: 'two' });
    await soon();
    assert.deepEqual(
      far.sent,
      ['one', 'two'].map((it) => `authenticate ${resource} ${it}`),
    );
    all = [own.host];
    changed.fire({ kind: 'session' } as never);
    assert.ok(accounts.all.length === 2, 'nothing was said about hosts');
    accounts.dispose();
    assert.deepEqual(accounts.all, []);
    await tokensOf(FAR).set(resource, { accessToken: 'three' });
    far.connected.fire();
    far.demands.fire({ resource, reason: 'required' });
    changed.fire({ kind: 'list' });
    await soon();
    assert.deepEqual([far.sent.length, demanded, accounts.all], [2, [], []]);
  });
});
