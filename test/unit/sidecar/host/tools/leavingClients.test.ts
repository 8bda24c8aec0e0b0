import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { ActiveClients, CLIENT_GRACE_MS } from '../../../../../sidecar/host/tools/activeClients.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';

const CHAT = 'host-chat:/c';

describe('a client that leaves sessions', () => {
  let timers: ManualTimers;
  let clients: ActiveClients;
  let done: string[];
  /** By session: its state. */
  let sessions: Map<string, { activeClients: { clientId: string }[]; customizations?: object[]; chats?: object[] }>;
  let parts: object[];
  beforeEach(() => {
    [timers, done, sessions, parts] = [new ManualTimers(), [], new Map(), []];
    const state = (kind: string, uri: string) =>
      kind === 'chat' ? { activeTurn: { id: 't', responseParts: parts } } : sessions.get(uri);
    const commit = (channel: string, action: { type: string; clientId?: string; id?: string; toolCallId?: string }) => {
      const { type, clientId, id, toolCallId } = action;
      done.push(`${channel} ${type.split('/')[1]} ${clientId ?? id ?? toolCallId}`);
      const session = sessions.get(channel);
      if (session && clientId !== undefined)
        session.activeClients = session.activeClients.filter((it) => it.clientId !== clientId);
    };
    clients = new ActiveClients({ store: { state, commit }, timers } as unknown as Pick<
      EffectDeps,
      'store' | 'timers'
    >);
  });
  const join = (session: string, ...clientIds: string[]) => {
    sessions.set(session, { activeClients: clientIds.map((clientId) => ({ clientId })) });
    for (const it of clientIds) clients.added(it, session);
  };

  it('leaves each of them after the time of grace, and stays in those that it looks at again', () => {
    for (const it of ['s1', 's2', 's3']) join(it, 'c1', 'c2');
    clients.disconnected('c1', (session) => session === 's2');
    assert.deepEqual(done, []);
    timers.pass(CLIENT_GRACE_MS);
    assert.deepEqual(done, ['s1 activeClientRemoved c1', 's3 activeClientRemoved c1']);
    assert.deepEqual(sessions.get('s1')?.activeClients, [{ clientId: 'c2' }]);
  });

  it('has one time of grace, however often it breaks off, and none where it is active nowhere', () => {
    clients.disconnected('c1', () => false);
    assert.equal(timers.count(CLIENT_GRACE_MS), 0);
    join('s1', 'c1');
    for (let n = 0; n < 3; n += 1) clients.disconnected('c1', () => false);
    assert.equal(timers.count(CLIENT_GRACE_MS), 1);
    timers.pass(CLIENT_GRACE_MS);
    assert.deepEqual(done, ['s1 activeClientRemoved c1']);
    clients.disconnected('c1', () => false);
    assert.equal(timers.count(CLIENT_GRACE_MS), 0, 'it is active nowhere any more');
  });

  it('is not removed from where it is not active, and not twice', () => {
    join('s1', 'c2');
    clients.remove('c1', 's1');
    clients.remove('c1', 'none');
    assert.deepEqual(done, []);
    clients.remove('c2', 's1');
    clients.remove('c2', 's1');
    assert.deepEqual(done, ['s1 activeClientRemoved c2']);
  });

  it('takes along what it published, and nothing of others', () => {
    join('s1', 'c1', 'c2');
    const customizations = [{ id: 'mine', clientId: 'c1' }, { id: 'theirs', clientId: 'c2' }, { id: 'of a folder' }];
    Object.assign(sessions.get('s1') ?? {}, { customizations });
    clients.remove('c1', 's1');
    assert.deepEqual(done, ['s1 activeClientRemoved c1', 's1 customizationRemoved mine']);
  });

  it('fails its calls that are not over, and no call of others', () => {
    join('s1', 'c1', 'c2');
    Object.assign(sessions.get('s1') ?? {}, { chats: [{ resource: CHAT }] });
    const call = (toolCallId: string, status: string, contributor?: object) => ({
      kind: 'toolCall',
      toolCall: { toolCallId, status, displayName: 'd', ...(contributor && { contributor }) },
    });
    const [mine, theirs] = ['c1', 'c2'].map((clientId) => ({ kind: 'client', clientId }));
    parts = [
      { kind: 'markdown', id: 'p' },
      call('begins', 'streaming', mine),
      call('runs', 'running', mine),
      call('waits', 'pending-confirmation', mine),
      call('is over', 'completed', mine),
      call('was refused', 'cancelled', mine),
      call('is of another', 'running', theirs),
      call('is of a server', 'running', { kind: 'mcp', customizationId: 'c1' }),
      call('is of the agent', 'running'),
    ];
    clients.remove('c1', 's1');
    assert.deepEqual(done.slice(1), [
      `${CHAT} toolCallReady begins`,
      `${CHAT} toolCallComplete begins`,
      `${CHAT} toolCallComplete runs`,
      `${CHAT} toolCallComplete waits`,
    ]);
  });
});
