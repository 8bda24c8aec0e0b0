import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type GatewayToolsDeps, gatewayTools } from '../../../../sidecar/host/gatewayTools.ts';

describe('the models that the gateway has for a session', () => {
  const models = { url: 'http://127.0.0.1:4000', key: 'sk-of-the-session', models: [] };
  const openWith = (sessionModels: () => Promise<typeof models | undefined>) => {
    const hidden: string[] = [];
    const gateway = { sessionModels } as unknown as GatewayToolsDeps['gateway'];
    return { hidden, tools: gatewayTools({ gateway, hide: (it) => hidden.push(it), report: assert.fail }) };
  };
  it('come with a key that no log shows', async () => {
    const { hidden, tools } = openWith(async () => models);
    assert.deepEqual(await tools.models('s'), models);
    assert.deepEqual(hidden, [models.key]);
  });
  it('are none where there is no gateway, or it has none', async () => {
    const none = gatewayTools({ gateway: undefined, hide: assert.fail, report: assert.fail });
    assert.equal(await none.models('s'), undefined);
    assert.equal(await openWith(async () => undefined).tools.models('s'), undefined);
  });
  it('are not taken for none where the gateway fails, with what a person can do', async () => {
    const { tools } = openWith(() => Promise.reject(new Error('the database is away')));
    await assert.rejects(tools.models('s'), { code: 'unavailable', message: /Try again, or choose "own" for the agent/ });
  });
});
