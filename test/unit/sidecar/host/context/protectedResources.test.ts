import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { AgentProvider } from '../../../../../sidecar/agents/provider.ts';
import { CLIENT_GRACE_MS } from '../../../../../sidecar/host/rpc/clients.ts';
import { LEASE_MS } from '../../../../../sidecar/host/rpc/refreshLeases.ts';
import type { RootState } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { chatUri, ROOT, sessionUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { extra, type ProtectedAgent, protectedAgent, vault } from '../../../../support/host/protectedAgent.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const { resource } = vault;

describe('protected resources', () => {
  let place: HostPlace;
  let agent: ProtectedAgent;
  let timers: ManualTimers;
  afterEach(() => place.close());

  async function open(made: ProtectedAgent = protectedAgent(), others: readonly AgentProvider[] = []) {
    agent = made;
    timers = new ManualTimers();
    place = await openHostPlace([agent.provider, ...others], { timers });
    return place.connect('c1');
  }
  const push = (peer: HostPeer, token: string, more = {}) => peer.request('authenticate', { resource, token, ...more });
  const demands = (peer: HostPeer) =>
    peer.notified.filter((it) => it.method === 'auth/required').map((it) => it.params);
  const refusal = (data: unknown) => (error: { code: number; data?: unknown }) => {
    assert.deepEqual({ code: error.code, data: error.data }, { code: -32007, data });
    return true;
  };
  const needsVault = refusal({ resources: [vault] });

  it('of an agent are in root state with every member as it was given', async () => {
    verifies('host.auth.listed');
    const peer = await open(undefined, [{ ...scriptedProvider(async function* () {}), id: 'open' }]);
    const other = await place.connect('c2');
    const agents = (of: HostPeer) => (of.states.get(ROOT) as RootState).agents;
    for (const it of [peer, other]) await it.until(() => agents(it).length === 2);
    const [listed, free] = agents(peer);
    assert.deepEqual(listed?.protectedResources, [vault, extra]);
    assert.equal(free && 'protectedResources' in free, false);
    assert.deepEqual(agents(other), agents(peer));
  });

  it('that are required keep out whoever has no token, and say what needs one', async () => {
    verifies('host.auth.refused', 'host.resource.required', 'host.resource.required-default');
    const needed = { resource: 'https://second.test', required: true };
    const peer = await open(protectedAgent([vault, extra, needed]));
    const both = refusal({ resources: [vault, needed] });
    const session = sessionUri('a');
    await assert.rejects(peer.request('createSession', { channel: session }), both);
    await assert.rejects(peer.request('subscribe', { channel: session }), { code: -32001 });
    await assert.rejects(peer.request('resolveSessionConfig', {}), both);
    await assert.rejects(peer.request('sessionConfigCompletions', { property: 'x' }), both);
    await push(peer, 'first');
    await assert.rejects(peer.request('createSession', { channel: session }), refusal({ resources: [needed] }));
    assert.equal(agent.opened, 0);
  });

  it('are open to a client after it pushed a token, and the agent gets it', async () => {
    verifies('host.auth.pushed', 'host.command.authenticate');
    const peer = await open();
    assert.deepEqual(await push(peer, 'abc.DEF-1~+/x==', { scopes: ['read'] }), {});
    const { chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.deepEqual(agent.used, ['abc.DEF-1~+/x==']);
  });

  it('that are not required let the agent work without a token', async () => {
    verifies('host.auth.optional', 'host.resource.optional');
    const peer = await open(protectedAgent([extra]));
    const { chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    await peer.request('authenticate', { resource: extra.resource, token: 'more' });
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.deepEqual(agent.used, [undefined, 'more']);
    assert.deepEqual(demands(peer), []);
  });

  it('take no token for what nobody advertises, and none that cannot be one', async () => {
    const peer = await open();
    const ask = (params: object) => peer.request('authenticate', params as never);
    for (const params of [
      { resource: 'https://elsewhere.test', token: 'abc' },
      { resource: `${resource}/`, token: 'abc' },
      { resource, token: '' },
      { resource, token: 7 },
      { resource, token: 'abc', scopes: 'read' },
      { resource, token: 'abc', expiresIn: 0 },
      { token: 'abc' },
    ])
      await assert.rejects(ask(params), { code: -32602 }, JSON.stringify(params));
    for (const token of ['two words', 'käse', 'a\nb', '=abc', 'a=b'])
      await assert.rejects(ask({ resource, token }), needsVault, token);
    await assert.rejects(peer.request('createSession', { channel: sessionUri('a') }), needsVault);
  });

  it('count tokens for the client alone that pushed them', async () => {
    const peer = await open();
    const other = await place.connect('c2');
    await push(peer, 'of-c1');
    const { session, chat } = await peer.newSession();
    await assert.rejects(other.newSession(), needsVault);
    const more = { channel: session, chat: chatUri('more') };
    await assert.rejects(other.request('createChat', more), needsVault);
    await other.subscribe(session);
    await other.subscribe(chat);
    const refused = await other.ended(chat, await other.prompt(chat, 'go'));
    assert.equal(refused.state, 'error');
    assert.equal(refused.error?.errorType, 'authRequired');
    assert.deepEqual(refused.error._meta?.['resources'], [vault]);
    assert.deepEqual(demands(other), [{ channel: session, resource, reason: 'required' }]);
    assert.deepEqual(demands(peer), []);
    await push(other, 'of-c2');
    await other.ended(chat, await other.prompt(chat, 'go'));
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.deepEqual(agent.used, ['of-c2', 'of-c1']);
    await peer.request('createChat', more);
  });

  it('open an agent again that was started with another token', async () => {
    const peer = await open(protectedAgent([vault], 'early'));
    await push(peer, 'first');
    const { chat } = await peer.newSession();
    for (const token of ['first', 'first', 'second']) {
      await push(peer, token);
      await peer.ended(chat, await peer.prompt(chat, 'go'));
    }
    assert.deepEqual([agent.used, agent.opened], [['first', 'first', 'second'], 2]);
  });

  it('that refuse a token in the middle of a turn let it go on with the next one', async () => {
    const peer = await open();
    const onlooker = await place.connect('c2');
    await push(peer, 'stale');
    const { session, chat } = await peer.newSession();
    await onlooker.subscribe(session);
    await onlooker.subscribe(chat);
    agent.spent.add('stale');
    const turn = await peer.prompt(chat, 'go');
    await onlooker.until(() => onlooker.chat(chat).activity === 'Waiting for you to sign in to The vault.');
    const problem = onlooker.session(session)._meta?.['problem'] as { kind: string; resources: unknown };
    assert.deepEqual([problem.kind, problem.resources], ['signInNeeded', [vault]]);
    assert.deepEqual(demands(peer), [{ channel: session, resource, reason: 'expired' }]);
    assert.deepEqual(demands(onlooker), []);
    await assert.rejects(push(peer, 'stale'), needsVault);
    await push(onlooker, 'not-theirs');
    await push(peer, 'fresh');
    const ended = await onlooker.ended(chat, turn);
    assert.equal(ended.state, 'complete');
    assert.deepEqual(agent.used, ['fresh']);
    assert.equal(onlooker.chat(chat).activity, undefined);
    assert.equal(onlooker.session(session)._meta?.['problem'], undefined);
  });

  it('do not hold a turn that is stopped while it waits for a token', async () => {
    const peer = await open();
    await push(peer, 'stale');
    const { session, chat } = await peer.newSession();
    agent.spent.add('stale');
    const turnId = await peer.prompt(chat, 'go');
    await peer.until(() => demands(peer).length === 1);
    await peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as AnyAction);
    assert.equal((await peer.ended(chat, turnId)).state, 'cancelled');
    await peer.until(() => peer.session(session)._meta?.['problem'] === undefined);
    assert.deepEqual(agent.used, []);
  });

  it('forget a token when its time is over, and tell its client alone', async () => {
    const peer = await open();
    const other = await place.connect('c2');
    await push(peer, 'long', { expiresIn: 7_200 });
    await push(peer, 'short', { expiresIn: 3_600 });
    await push(other, 'short', { expiresIn: 1_800 });
    timers.pass(7_200_000); // the token before it: nobody misses it
    await peer.newSession();
    timers.pass(3_600_000);
    await assert.rejects(peer.newSession(), needsVault);
    assert.deepEqual(demands(peer), [{ channel: ROOT, resource, reason: 'expired' }]);
    assert.deepEqual(demands(other), []);
    await other.newSession();
  });

  it('know the tokens of a client that comes back in time, of none that says hello again or stays away', async () => {
    const peer = await open();
    await push(peer, 'kept', { expiresIn: 3_600 });
    const back = async () => {
      const next = place.connectSilently();
      await next.request('reconnect', { clientId: 'c1', lastSeenServerSeq: 0, subscriptions: [] });
      return next;
    };
    peer.close();
    const again = await back();
    await again.request('createSession', { channel: sessionUri('a') });
    const anew = await place.connect('c1');
    await assert.rejects(anew.newSession(), needsVault);
    await push(anew, 'kept');
    anew.close();
    while (!timers.has(CLIENT_GRACE_MS)) await new Promise((resolve) => void setImmediate(resolve));
    timers.pass(CLIENT_GRACE_MS);
    await assert.rejects(back(), { code: -32008 });
    assert.equal(timers.has(3_600_000), false);
  });

  it('are renewed by one client at a time, and by the next one when that is done, gone or too slow', async () => {
    const peers = [await open(), await place.connect('c2'), await place.connect('c3'), await place.connect('c4')];
    const order: number[] = [];
    const leases: Promise<string>[] = [];
    for (const [n, it] of peers.entries()) {
      const asked = it.request('x-switchboard/refreshLease', { resource }).then(({ lease }) => {
        order.push(n);
        return lease;
      });
      leases.push(asked);
      await it.request('ping', {}); // it has arrived
    }
    const lease = await leases[0]!;
    await peers[1]!.request('ping', {});
    assert.deepEqual(order, [0]);
    await peers[0]!.request('x-switchboard/refreshLeaseEnd', { lease });
    await leases[1];
    await peers[3]!.request('x-switchboard/refreshLeaseEnd', { lease });
    peers[1]!.close();
    await leases[2];
    assert.deepEqual(order, [0, 1, 2]);
    timers.pass(LEASE_MS);
    await leases[3];
    const elsewhere = { resource: 'https://elsewhere.test' };
    await assert.rejects(peers[0]!.request('x-switchboard/refreshLease', elsewhere), { code: -32602 });
  });

  it('are closed again to a client that signed out', async () => {
    const peer = await open();
    await push(peer, 'first');
    await peer.newSession();
    await peer.request('x-switchboard/forgetToken', { resource });
    await assert.rejects(peer.newSession(), needsVault);
    assert.deepEqual(demands(peer), []);
  });

  it('leave no token in any state, log or file', async () => {
    const token = 'canary-token-of-the-vault';
    const peer = await open();
    await push(peer, token, { scopes: ['read'] });
    const { session, chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, `my token is ${token.slice(0, 6)}`));
    agent.spent.add(token);
    await peer.prompt(chat, 'go');
    await peer.until(() => demands(peer).length === 1);
    await assert.rejects(push(peer, token), (error: Error) => !JSON.stringify([String(error), error]).includes(token));
    await push(peer, 'another-token');
    await peer.until(() => peer.chat(chat).activeTurn === undefined);
    const seen = [...peer.envelopes, ...peer.notified, ...peer.states.values(), peer.session(session), place.log];
    assert.ok(!JSON.stringify(seen).includes(token));
    await place.restart();
    const files = readdirSync(place.dataDir, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
    assert.ok(files.some((it) => it.name === 'host.db'));
    for (const it of files)
      assert.ok(!readFileSync(join(it.parentPath, it.name), 'latin1').includes(token), `in ${it.name}`);
  });
});
