import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { OptionQuery, SessionOptions } from '../../../../../sidecar/agents/options.ts';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type { RootState } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const thinking = { type: 'string', title: 'Thinking', default: 'low', enum: ['low', 'high'] } as const;
const options: SessionOptions = {
  commands: [],
  properties: [
    {
      id: 'region',
      title: 'Region',
      value: 'r70',
      values: Array.from({ length: 120 }, (_, at) => ({ id: `r${at}`, label: `Region ${at}` })),
    },
  ],
  models: [
    { id: 'small', name: 'Small', form: { properties: { thinking: { ...thinking, enum: [...thinking.enum] } } } },
    { id: 'large', name: 'Large', policyState: 'disabled' },
    { id: 'new', name: 'New', policyState: 'unconfigured' },
    { id: 'own', name: 'Own', policyState: 'enabled' },
  ],
  form: {
    required: ['branch'],
    properties: {
      branch: { type: 'string', title: 'Branch', enum: ['main', 'develop'], enumDynamic: true },
      retries: { type: 'number', title: 'Retries', sessionMutable: true },
      plan: { type: 'string', title: 'Plan', readOnly: true, sessionMutable: true },
    },
    values: { branch: 'main', retries: 2, plan: 'team' },
  },
};

describe('the configuration of a host', () => {
  let place: HostPlace;
  const turns: TurnRequest[] = [];
  const queries: OptionQuery[] = [];
  afterEach(async () => {
    turns.length = 0;
    queries.length = 0;
    await place.close();
  });
  const open = async () => {
    place = await openHostPlace([
      scriptedProvider(
        async function* (turn) {
          turns.push(turn);
          yield { kind: 'text', partId: 'a', text: turn.text };
        },
        {
          options,
          async completeOption(query) {
            queries.push(query);
            return [{ value: `${query.query}/1`, label: `${query.query} one`, description: 'a branch' }];
          },
        },
      ),
    ]);
    return place.connect();
  };

  it('gives a long choice as a few seeds, with what holds first, and finds the others by what is typed', async () => {
    verifies('host.config.enum-seeds', 'host.config.enum-dynamic', 'host.command.sessionConfigCompletions');
    const peer = await open();
    const { schema, values } = await peer.request('resolveSessionConfig', { config: { region: 'r119' } });
    const region = schema.properties['region'];
    assert.equal(region?.enumDynamic, true);
    assert.deepEqual([region.enum?.[0], region.enum?.length, region.enumLabels?.[0]], ['r70', 20, 'Region 70']);
    assert.equal(values['region'], 'r119');
    const { items } = await peer.request('sessionConfigCompletions', { property: 'region', query: 'region 11' });
    const expected = ['r11', ...Array.from({ length: 10 }, (_, at) => `r11${at}`)];
    assert.deepEqual(
      items.map((it) => it.value),
      expected,
    );
  });

  it('asks the agent for values of a property that it completes itself', async () => {
    verifies('host.config.enum-dynamic', 'host.command.sessionConfigCompletions');
    const peer = await open();
    const ask = { property: 'branch', query: 'rel', config: { retries: 3 } };
    const { items } = await peer.request('sessionConfigCompletions', ask);
    assert.deepEqual(items, [{ value: 'rel/1', label: 'rel one', description: 'a branch' }]);
    assert.deepEqual(queries, [ask]);
    assert.deepEqual((await peer.request('sessionConfigCompletions', { property: 'branch' })).items[0]?.value, '/1');
    await assert.rejects(peer.request('sessionConfigCompletions', { property: 'toString' }), { code: -32602 });
  });

  it('creates a session with every value that fits, and changes afterwards only what may change', async () => {
    verifies('host.config.session-mutable', 'host.config.read-only');
    const peer = await open();
    const { session } = await peer.newSession({ config: { branch: 'feature/x', retries: 'many', plan: 'free' } });
    const { values } = (await peer.subscribe<SessionState>(session)).config!;
    assert.deepEqual([values['branch'], values['retries'], values['plan']], ['feature/x', 2, 'team']);
    const set = async (config: object) =>
      (await peer.act(session, { type: 'session/configChanged', config } as AnyAction)).rejectionReason;
    assert.equal(await set({ branch: 'main' }), 'config.branch: cannot be changed now');
    assert.equal(await set({ plan: 'free' }), 'config.plan: cannot be changed now');
    assert.equal(await set({ retries: 'five' }), 'config.retries: must be a number');
    assert.equal(await set({ retries: 5 }), undefined);
    assert.equal(peer.session(session).config?.values['retries'], 5);
  });

  it('lists the options of a model as a schema, and hands the agent the chosen values as they were given', async () => {
    verifies('host.model.config-schema', 'host.model.selection-config');
    const peer = await open();
    const { chat } = await peer.newSession();
    await peer.until(() => (peer.states.get(ROOT) as RootState).agents[0]!.models.length > 0);
    const { models } = (peer.states.get(ROOT) as RootState).agents[0]!;
    assert.deepEqual(models[0]?.configSchema, { type: 'object', properties: { thinking } });
    const config = { thinking: 'high', budget: 0.5, fast: true, seed: null };
    const message = { text: 'go', origin: { kind: 'user' }, model: { id: 'small', config } };
    const start = { type: 'chat/turnStarted', turnId: 't', startedAt: new Date().toISOString(), message };
    assert.equal((await peer.act(chat, start as AnyAction)).rejectionReason, undefined);
    await peer.ended(chat, 't');
    assert.deepEqual([turns[0]?.model, turns[0]?.modelConfig], ['small', config]);
    assert.deepEqual(peer.chat(chat).turns[0]?.message.model, { id: 'small', config });
  });

  it('refuses a model whose policy does not allow it', async () => {
    verifies('host.model.policy');
    const peer = await open();
    const { chat } = await peer.newSession();
    await peer.until(() => (peer.states.get(ROOT) as RootState).agents[0]!.models.length > 0);
    const ask = async (turnId: string, id: string) => {
      const message = { text: 'go', origin: { kind: 'user' }, model: { id } };
      const start = { type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(), message };
      return (await peer.act(chat, start as AnyAction)).rejectionReason;
    };
    assert.equal(await ask('t1', 'large'), 'message.model.id: this model is not allowed');
    assert.equal(await ask('t2', 'new'), 'message.model.id: this model is not allowed');
    assert.equal(await ask('t3', 'own'), undefined);
    await peer.ended(chat, 't3');
    assert.equal(turns.length, 1);
  });

  it('of the host itself is in root state, keeps what clients set, and locks what windows set', async () => {
    verifies('host.config.root-state', 'host.config.read-only');
    const peer = await open();
    const config = () => (peer.states.get(ROOT) as RootState).config!;
    assert.equal(config().schema.properties['durability']?.readOnly, true);
    await peer.until(() => config().values['durability'] !== undefined);
    assert.deepEqual(config().values, { terminalOutput: 1_000_000, idleExitMinutes: 10, durability: 'normal' });
    const set = async (change: object) =>
      (await peer.act(ROOT, { type: 'root/configChanged', config: change } as AnyAction)).rejectionReason;
    assert.equal(await set({ durability: 'full' }), 'config.durability: cannot be changed now');
    assert.equal(await set({ terminalOutput: 7 }), 'config.terminalOutput: is not one of the choices');
    assert.equal(await set({ other: 7 }), 'config.other: setting not found');
    assert.equal(await set({ terminalOutput: 250_000 }), undefined);
    await place.restart();
    const later = await place.connect('c2', { durability: 'full' });
    const kept = () => (later.states.get(ROOT) as RootState).config?.values;
    await later.until(() => kept()?.['durability'] !== undefined);
    assert.deepEqual(kept(), {
      terminalOutput: 250_000,
      idleExitMinutes: 10,
      durability: 'full',
    });
  });
});
