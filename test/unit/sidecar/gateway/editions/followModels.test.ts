import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type FollowModelsDeps, followModels } from '../../../../../sidecar/gateway/editions/followModels.ts';
import type { OfferedModel } from '../../../../../sidecar/launch/gateway/gatewayContract.ts';
import { keepingLog } from '../../../../support/testLog.ts';

const model = (name: string): OfferedModel => ({ name, dialects: ['chat'] });

describe('the models that are registered', () => {
  async function follow(isOpenToAll: boolean) {
    const reads: PromiseWithResolvers<readonly OfferedModel[]>[] = [];
    let change: (kind: string) => void = () => undefined;
    const gateway = {
      allModels() {
        const read = Promise.withResolvers<readonly OfferedModel[]>();
        reads.push(read);
        if (reads.length === 1) read.resolve([model('first')]);
        return read.promise;
      },
      store: { changes: { listen: (listener: typeof change) => (change = listener) } },
    } as unknown as FollowModelsDeps['gateway'];
    const reported: (readonly string[])[] = [];
    await followModels({ gateway, log: keepingLog().log, isOpenToAll }, (now) =>
      reported.push(now.map((it) => it.name)),
    );
    return { reads, reported, change: (kind: string) => change(kind) };
  }
  const settled = () => new Promise(setImmediate);

  it('are reported at once, and again after a model was changed, but not after another record was', async () => {
    const { reads, reported, change } = await follow(true);
    change('team');
    change('model');
    assert.equal(reads.length, 2);
    reads[1]?.resolve([model('first'), model('second')]);
    await settled();
    assert.deepEqual(reported, [['first'], ['first', 'second']]);
  });

  it('are not reported from a read that a later one overtook', async () => {
    const { reads, reported, change } = await follow(true);
    change('model');
    change('model');
    reads[2]?.resolve([model('new')]);
    await settled();
    reads[1]?.resolve([model('old')]);
    await settled();
    assert.deepEqual(reported, [['first'], ['new']]);
  });

  it('are reported as none where each must be allowed for a key', async () => {
    const { reads, reported } = await follow(false);
    assert.deepEqual([reads.length, reported], [0, [[]]]);
  });
});
