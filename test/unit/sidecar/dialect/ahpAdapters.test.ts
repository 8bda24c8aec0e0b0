import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AhpAdapters } from '../../../../sidecar/dialect/ahpAdapters.ts';
import { PublicClients } from '../../../../sidecar/dialect/publicClients.ts';
import { choosePublicVersion } from '../../../../sidecar/dialect/publicVersions.ts';
import { hear, introduction, openAdapter, paramsOf, type Told, tell, tellState } from './openAdapter.ts';

const say = (method: string, params?: object): Told => ({ jsonrpc: '2.0', id: 1, method, params });

describe('the public door', () => {
  for (const { says, text, is } of [
    { says: 'a handshake on the public root', text: say('initialize', { channel: 'ahp-root://' }), is: 'public' },
    { says: 'public subscriptions', text: say('initialize', { initialSubscriptions: ['ahp-root://'] }), is: 'public' },
    { says: 'a public client that is back', text: say('reconnect', { subscriptions: ['ahp-root://'] }), is: 'public' },
    { says: 'a handshake of ours', text: say('initialize', { channel: 'host-root://' }), is: 'none' },
    { says: 'a handshake without a channel', text: say('initialize', { clientId: 'c' }), is: 'none' },
    { says: 'somebody who is back and was never here', text: say('reconnect', { clientId: 'c' }), is: 'none' },
    { says: 'anything before a handshake', text: say('listSessions', { channel: 'ahp-root://' }), is: 'none' },
    { says: 'params that are none', text: { method: 'initialize', params: [1] }, is: 'none' },
    { says: 'a ping', text: say('ping', { channel: 'ahp-root://' }), is: 'unknown' },
    { says: 'no object', text: [1], is: 'unknown' },
  ])
    it(`takes ${says} for ${is}`, () => {
      const chosen = new AhpAdapters(introduction).choose(text);
      assert.equal(typeof chosen === 'object' ? 'public' : (chosen ?? 'unknown'), is);
    });

  for (const [offered, chosen] of [
    [['0.9.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1'], '0.9.0'],
    [['0.7.0', '0.9.0'], '0.9.0'],
    [['0.9.0', '1.0.0'], '1.0.0'],
    [['1.0.0', '1.4.2', '0.9.7'], '1.4.2'],
    [['1.0.0', '0.10.0', '0.9.0'], '1.0.0'],
    [['0.10.0', '0.9.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1'], '0.9.0'],
    [['1.9.0', '1.10.0', '2.0.0'], '1.10.0'],
    [['1.99999999999999999998.0', '1.99999999999999999999.0'], '1.99999999999999999999.0'],
    [['0.5.0', '0.4.0', '0.5.1'], '0.5.1'],
    [['0.8.12'], '0.8.12'],
  ] as const)
    it(`agrees on ${chosen} where ${offered.join(', ')} are offered`, () => {
      const ahpAdapters = new AhpAdapters(introduction);
      const text = say('initialize', { channel: 'ahp-root://', protocolVersions: offered, clientId: 'c' });
      const face = ahpAdapters.choose(text);
      assert.ok(typeof face === 'object');
      const params = paramsOf(face.fromClient(text).toHost);
      assert.deepEqual(params['protocolVersions'], ['0.7.0']);
      assert.deepEqual(params['initializationOptions'], introduction);
      const telemetry = { logs: 'host-otlp:/logs{?level}' };
      const told = tell(face, {
        id: 1,
        result: { protocolVersion: '0.7.0', serverSeq: 1, capabilities: {}, telemetry },
      });
      const shown = { logs: 'ahp-otlp:/logs{?level}' };
      assert.deepEqual(told?.['result'], { protocolVersion: chosen, serverSeq: 1, telemetry: shown });
    });

  for (const malformed of ['1.0', '01.0.0', '1.0.0-rc.1', '1.0.0+x', 'latest', '', 1, null])
    it(`chooses no version if ${JSON.stringify(malformed)} is among the offers, and keeps listening`, () => {
      const text = say('initialize', { channel: 'ahp-root://', protocolVersions: ['1.0.0', malformed], clientId: 'c' });
      const face = new AhpAdapters(introduction).choose(text);
      assert.ok(typeof face === 'object');
      const { toHost, toClient, close } = face.fromClient(text);
      assert.deepEqual([toHost, close], [undefined, undefined]);
      assert.equal((toClient!['error'] as { code: number }).code, -32602);
      assert.ok(face.fromClient(say('initialize', { protocolVersions: ['1.0.0'], clientId: 'c' })).toHost);
    });

  for (const offered of ['all', undefined, { 0: '1.0.0' }])
    it(`refuses ${JSON.stringify(offered)} as a list of versions`, () => {
      const text = say('initialize', { channel: 'ahp-root://', protocolVersions: offered, clientId: 'c' });
      const face = new AhpAdapters(introduction).choose(text);
      assert.ok(typeof face === 'object');
      assert.equal((face.fromClient(text).toClient!['error'] as { code: number }).code, -32602);
    });

  for (const offered of [[], ['0.10.0'], ['2.0.0'], ['0.5.0', '0.10.0', '10.0.0']])
    it(`sends away who offers ${JSON.stringify(offered)}, saying what there is`, () => {
      const text = say('initialize', { channel: 'ahp-root://', protocolVersions: offered, clientId: 'c' });
      const face = new AhpAdapters(introduction).choose(text);
      assert.ok(typeof face === 'object');
      const { toHost, toClient, close } = face.fromClient(text);
      assert.deepEqual([toHost, close], [undefined, 'no supported protocol version']);
      const error = toClient?.['error'];
      const data = { supportedVersions: ['^0.5.1', '^0.6.0', '^0.7.0', '^0.8.0', '^0.9.0', '^1.0.0'] };
      assert.deepEqual(error, { code: -32005, message: 'no supported protocol version', data });
    });

  it('answers -32008 to who is back and unknown, and goes on with the version of who is known', () => {
    const ahpAdapters = new AhpAdapters(introduction);
    const back = say('reconnect', {
      clientId: 'c1',
      lastSeenServerSeq: 3,
      subscriptions: ['ahp-root://', 'claude:/u'],
    });
    const stranger = ahpAdapters.choose(back);
    assert.ok(typeof stranger === 'object');
    const { toHost, toClient } = stranger.fromClient(back);
    assert.equal(toHost, undefined);
    assert.equal((toClient!['error'] as { code: number }).code, -32008);

    tellState(openAdapter('0.8.0', ahpAdapters), 'host-session:/u', { provider: 'claude' });
    const bare = say('reconnect', { clientId: 'c1', lastSeenServerSeq: 3, subscriptions: [] });
    assert.equal(typeof ahpAdapters.choose(bare), 'object');
    const face = ahpAdapters.choose(back);
    assert.ok(typeof face === 'object');
    const params = paramsOf(face.fromClient(back).toHost);
    assert.deepEqual(params['subscriptions'], ['host-root://', 'host-session:/u']);
    const actions = [
      { channel: 'host-session:/u', action: { type: 'session/creationFailed' }, serverSeq: 4 },
      { channel: 'host-chat:/c', action: { type: 'chat/error', error: {} }, serverSeq: 5 },
    ];
    const told = tell(face, { id: 1, result: { type: 'replay', actions, missing: ['host-session:/v'] } });
    assert.deepEqual(told?.['result'], {
      type: 'replay',
      actions: [
        { channel: 'claude:/u', action: { type: 'session/creationFailed' }, serverSeq: 4 },
        { channel: 'ahp-chat:/c', action: { type: 'chat/error', error: {} }, serverSeq: 5 },
      ],
      missing: ['ahp-session:/v'],
    });
  });

  it('echoes settings of a client that the host has not, to that client alone, and passes those that it has', () => {
    const face = openAdapter('0.9.0');
    const set = (config: object) => ({
      jsonrpc: '2.0',
      method: 'dispatchAction',
      params: { channel: 'ahp-root://', clientSeq: 0, action: { type: 'root/configChanged', config } },
    });
    const { toHost, toClient } = face.fromClient(set({ 'http.proxy': '' }));
    assert.equal(toHost, undefined);
    assert.deepEqual(toClient, {
      jsonrpc: '2.0',
      method: 'action',
      params: {
        channel: 'ahp-root://',
        action: { type: 'root/configChanged', config: { 'http.proxy': '' } },
        serverSeq: 3,
        origin: { clientId: 'c1', clientSeq: 0 },
      },
    });
    const config = { schema: { type: 'object', properties: { level: {} } }, values: {} };
    tellState(face, 'host-root://', { agents: [], config });
    const heard = hear(face, set({ 'http.proxy': '', level: 2 }));
    assert.deepEqual(paramsOf(heard)['action'], { type: 'root/configChanged', config: { level: 2 } });
  });

  it('says nothing of what is ours alone, of settings of VS Code, and of sessions without a name', () => {
    const face = openAdapter('0.9.0');
    assert.equal(hear(face, { method: 'setClientManagedSettingsPermissions', params: { permissions: {} } }), undefined);
    assert.equal(hear(face, { method: 'setClientSandboxRequired', params: { required: true } }), undefined);
    assert.equal(tell(face, { method: 'x-switchboard/noticesChanged', params: { items: [] } }), undefined);
    const changed = { method: 'root/sessionSummaryChanged', params: { session: 'host-session:/u', changes: {} } };
    const removed = { method: 'root/sessionRemoved', params: { session: 'host-session:/u' } };
    assert.deepEqual([tell(face, changed), tell(face, removed)], [undefined, undefined]);
    const summary = { resource: 'host-session:/u', provider: 'claude' };
    const added = tell(face, { method: 'root/sessionAdded', params: { channel: 'host-root://', summary } });
    assert.deepEqual(added?.['params'], {
      channel: 'ahp-root://',
      summary: { resource: 'claude:/u', provider: 'claude' },
    });
    assert.deepEqual(tell(face, changed)?.['params'], { session: 'claude:/u', changes: {} });
    assert.deepEqual(tell(face, removed)?.['params'], { session: 'claude:/u' });
    assert.equal(tell(face, removed), undefined);
  });

  it('asks for all sessions where no page is asked for, and for completions of the chat that a session shows', () => {
    const face = openAdapter('0.9.0');
    const list = (params: object) => hear(face, { id: 2, method: 'listSessions', params })?.['params'];
    assert.deepEqual(list({ channel: 'ahp-root://' }), { channel: 'host-root://', limit: 1_000 });
    assert.deepEqual(list({ limit: 5, cursor: 'x' }), { limit: 5, cursor: 'x' });
    tellState(face, 'host-session:/u', { provider: 'claude', defaultChat: 'host-chat:/c' });
    const complete = (channel: string) =>
      paramsOf(hear(face, { id: 3, method: 'completions', params: { channel } }))['channel'];
    assert.deepEqual([complete('claude:/u'), complete('ahp-chat:/d')], ['host-chat:/c', 'host-chat:/d']);
  });

  it('passes what is no message as it is: the host says what is wrong with it', () => {
    const face = openAdapter('0.9.0');
    assert.deepEqual(face.fromClient({ jsonrpc: '2.0', id: 1 }), { toHost: { jsonrpc: '2.0', id: 1 } });
    const odd = { jsonrpc: '2.0', method: 'note', params: ['ahp-root://'] };
    assert.deepEqual(face.toClient(odd), odd);
  });
});

describe('a setting that is a client’s own', () => {
  it('comes back with the number of the newest action that the client has', () => {
    const face = openAdapter('0.9.0');
    const action = { type: 'root/configChanged', config: { theme: 'dark' } };
    const set = () => {
      const params = { channel: 'ahp-root://', clientSeq: 4, action };
      const { toHost, toClient } = face.fromClient({ jsonrpc: '2.0', method: 'dispatchAction', params });
      assert.equal(toHost, undefined);
      return (toClient as { params?: { serverSeq?: number } }).params?.serverSeq;
    };
    assert.equal(set(), 3);
    tell(face, { method: 'action', params: { channel: 'host-root://', action: {}, serverSeq: 8 } });
    assert.equal(set(), 8);
  });
});

describe('clients of the public protocol', () => {
  const version = choosePublicVersion(['0.9.0']);
  assert.ok(typeof version === 'object');
  it('keep the names of their channels when they introduce themselves again', () => {
    const clients = new PublicClients();
    const { names } = clients.add('c', version);
    names.toHost('claude:/one', 'channel');
    const again = clients.add('c', version);
    assert.equal(again.names.toPublic('host-session:/one'), 'claude:/one');
  });

  it('are forgotten in the order in which they introduced themselves last', () => {
    const clients = new PublicClients();
    for (let n = 0; n < 1_000; n += 1) clients.add(`client ${n}`, version);
    clients.add('client 0', version);
    clients.add('one more', version);
    assert.deepEqual(
      ['client 0', 'client 1', 'client 2', 'one more'].map((it) => clients.get(it) !== undefined),
      [true, false, true, true],
    );
  });
});
