import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type {
  EmbeddedGateway,
  GatewayRoles,
  OfferedAgent,
  OfferedModel,
  RecordedCall,
} from '../../../../../sidecar/launch/gateway/gatewayContract.ts';
import { lazyGateway } from '../../../../../sidecar/launch/gateway/lazyGateway.ts';

describe('a gateway that is loaded when it is started', () => {
  const call: RecordedCall = { session: 's', chat: 'c', model: 'm', inputTokens: 1, outputTokens: 2, cost: 3 };
  const openLazy = () => {
    let loads = 0;
    const listeners: ((it: RecordedCall) => void)[] = [];
    const agentListeners: ((it: readonly OfferedAgent[]) => void)[] = [];
    const modelListeners: ((it: readonly OfferedModel[]) => void)[] = [];
    const embedded = {
      start: async () => ({ baseUrl: 'http://127.0.0.1:1' }),
      sessionModels: async (session: string, chat: string) => ({ url: session, key: chat, models: [] }),
      onAgents: (it: (agents: readonly OfferedAgent[]) => void) => agentListeners.push(it),
      onModels: (it: (models: readonly OfferedModel[]) => void) => modelListeners.push(it),
      sessionAgents: async (session: string, chat: string) => ({ url: session, key: chat }),
      onCall: (it: (call: RecordedCall) => void) => listeners.push(it),
    } as unknown as EmbeddedGateway;
    const load = async () => {
      loads += 1;
      return { openEmbedded: async () => embedded } as unknown as GatewayRoles;
    };
    const gateway = lazyGateway(load, '/dist/main.mjs', {} as Parameters<typeof lazyGateway>[2]);
    const called = () => {
      for (const it of listeners) it(call);
    };
    const registered = (agents: readonly OfferedAgent[]) => {
      for (const listener of agentListeners) listener(agents);
    };
    const modelsChanged = (models: readonly OfferedModel[]) => {
      for (const listener of modelListeners) listener(models);
    };
    return { gateway, called, registered, modelsChanged, loads: () => loads };
  };

  it('has no models before, and is not loaded for that', async () => {
    const { gateway, loads } = openLazy();
    assert.equal(await gateway.sessionModels('s', 'c'), undefined);
    assert.equal(loads(), 0);
  });
  it('tells of calls also to those who listened before it was loaded, until they stop', async () => {
    const { gateway, called, loads } = openLazy();
    const heard: RecordedCall[] = [];
    const stop = gateway.onCall((it) => heard.push(it));
    const request = { adminKey: 'k', isTrusted: true };
    await Promise.all([gateway.start(request), gateway.start(request)]);
    called();
    assert.deepEqual([heard, loads()], [[call], 1]);
    assert.deepEqual(await gateway.sessionModels('s', 'c'), { url: 's', key: 'c', models: [] });
    stop();
    called();
    assert.equal(heard.length, 1);
  });
  it('tells of agents those who listened before it was loaded, and those who come later, until they stop', async () => {
    const { gateway, registered, loads } = openLazy();
    const weather = { id: 'weather', name: 'Weather', description: '' };
    const heard: string[] = [];
    const stop = gateway.onAgents((it) => heard.push(`early ${it.length}`));
    assert.deepEqual([await gateway.sessionAgents('s', 'c', 'agents'), loads()], [undefined, 0]);
    await gateway.start({ adminKey: 'k', isTrusted: true });
    registered([weather]);
    gateway.onAgents((it) => heard.push(`late ${it.length}`));
    stop();
    registered([]);
    assert.deepEqual(heard, ['early 1', 'late 1', 'late 0']);
    assert.deepEqual(await gateway.sessionAgents('s', 'c', 'agents'), { url: 's', key: 'c' });
  });
  it('tells of models those who listened before it was loaded, and those who come later, until they stop', async () => {
    const { gateway, modelsChanged } = openLazy();
    const heard: string[] = [];
    const stop = gateway.onModels((it) => heard.push(`early ${it.length}`));
    await gateway.start({ adminKey: 'k', isTrusted: true });
    modelsChanged([{ name: 'fast', dialects: ['chat'] }]);
    gateway.onModels((it) => heard.push(`late ${it.length}`));
    stop();
    modelsChanged([]);
    assert.deepEqual(heard, ['early 1', 'late 1', 'late 0']);
  });
});
