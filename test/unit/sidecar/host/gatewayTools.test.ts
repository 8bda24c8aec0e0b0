import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type GatewayToolsDeps, gatewayTools } from '../../../../sidecar/host/gatewayTools.ts';

describe('the models that the gateway has for a session', () => {
  const models = { url: 'http://127.0.0.1:4000', key: 'sk-of-the-session', models: [] };
  const openWith = (sessionModels: () => Promise<typeof models | undefined>) => {
    const hidden: string[] = [];
    const listeners: ((call: object) => void)[] = [];
    const onCall = (it: (call: object) => void) => listeners.push(it);
    const gateway = {
      sessionModels,
      onCall,
      sessionEnded: async () => undefined,
    } as unknown as GatewayToolsDeps['gateway'];
    const open = new Set(['s']);
    const called = (chat: string, model: string, cost = 3) => {
      const tokens = cost && 1;
      for (const it of listeners) it({ session: 's', chat, model, inputTokens: tokens, outputTokens: tokens, cost });
    };
    const reported: unknown[] = [];
    const deps = {
      gateway,
      hide: (it: string) => hidden.push(it),
      report: (it: unknown) => reported.push(it),
      store: open,
    };
    return { open, hidden, called, reported, tools: gatewayTools(deps) };
  };
  it('come with a key that no log shows', async () => {
    const { hidden, tools } = openWith(async () => models);
    assert.deepEqual(await tools.models('s', 'c'), models);
    assert.deepEqual(hidden, [models.key]);
  });
  it('are none where there is no gateway, or it has none', async () => {
    const none = gatewayTools({
      gateway: undefined,
      hide: () => assert.fail(),
      report: () => assert.fail(),
      store: { has: () => true },
    });
    assert.equal(await none.models('s', 'c'), undefined);
    assert.equal(await openWith(async () => undefined).tools.models('s', 'c'), undefined);
  });
  it('report each call once, only to its chat, and calls between turns to the next turn', async () => {
    const { called, tools } = openWith(async () => models);
    await tools.models('s', 'c');
    called('c', 'before');
    called('other', 'elsewhere');
    const taken: string[] = [];
    let isOpen = true;
    const take = ({ model }: { readonly model: string }) => {
      if (isOpen) taken.push(model);
      return isOpen;
    };
    const stop = tools.onCall('c', take);
    called('c', 'during');
    isOpen = false;
    called('c', 'late');
    stop();
    called('c', 'between');
    assert.deepEqual(taken, ['before', 'during']);
    isOpen = true;
    tools.onCall('c', take)();
    assert.deepEqual(taken.splice(2), ['late', 'between']);
    tools.onCall('c', take);
    assert.deepEqual(taken, ['before', 'during']);
  });
  it('keep a call whose listener failed for the next listener', () => {
    const { called, reported, tools } = openWith(async () => models);
    const failed = new Error('the disk is full');
    tools.onCall('c', () => {
      throw failed;
    });
    called('c', 'kept');
    assert.deepEqual(reported, [failed]);
    const taken: string[] = [];
    tools.onCall('c', ({ model }) => taken.push(model) > 0);
    assert.deepEqual(taken, ['kept']);
  });
  it('report no call later that was refused, or that ended after its session', async () => {
    const { called, tools, open } = openWith(async () => models);
    await tools.models('s', 'c');
    called('c', 'refused', 0);
    open.clear();
    called('c', 'late');
    tools.onCall('c', () => assert.fail('it is reported'));
  });
  it('report no call whose session ended before a listener took it', async () => {
    const { called, tools } = openWith(async () => models);
    await tools.models('s', 'c');
    called('c', 'gone');
    await tools.close('another');
    await tools.close('s');
    tools.onCall('c', () => assert.fail('it is reported'));
  });
  it('are refused with advice where the gateway fails', async () => {
    const { tools } = openWith(() => Promise.reject(new Error('the database is away')));
    const message = /Try again, or choose "own" for the agent/;
    await assert.rejects(tools.models('s', 'c'), { code: 'unavailable', message });
  });
});
