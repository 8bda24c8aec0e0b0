import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { OnUse } from '../../../../sidecar/platform/onUse.ts';

describe('a part that is loaded on use', () => {
  it('is loaded once, by the first use, and is then used without waiting', async () => {
    let loads = 0;
    const part = new OnUse(async () => ({ number: ++loads }));
    assert.equal(part.opened, undefined);
    assert.equal(part.opening, undefined);
    const first = part.use(({ number }) => number);
    assert.ok(part.opening);
    assert.deepEqual(await Promise.all([first, part.use(({ number }) => number)]), [1, 1]);
    assert.equal(
      part.use(({ number }) => number),
      1,
    );
    assert.deepEqual(part.opened, { number: 1 });
  });

  it('is loaded again by the next use if it could not be loaded', async () => {
    const loads = [Promise.reject(new Error('no such file')), Promise.resolve({ number: 2 })];
    const part = new OnUse(() => loads.shift() ?? assert.fail('it is loaded a third time'));
    await assert.rejects(async () => part.use(({ number }) => number), /no such file/);
    assert.equal(part.opened, undefined);
    assert.equal(part.opening, undefined);
    assert.equal(await part.use(({ number }) => number), 2);
  });

  it('is loaded by a method of it', async () => {
    let loads = 0;
    class Sums {
      readonly #from = ++loads;
      async sum(...more: number[]): Promise<number> {
        return more.reduce((sum, it) => sum + it, this.#from);
      }
    }
    const part = new OnUse(async () => new Sums());
    const { sum } = part.methods('sum');
    assert.equal(part.opening, undefined);
    assert.equal(await sum(2, 3), 6);
    assert.equal(await sum(4), 5);
  });

  it('fails as what is done with it fails', async () => {
    const part = new OnUse(async () => ({ number: 1 }));
    const fail = () => {
      throw new Error('refused');
    };
    await assert.rejects(async () => part.use(fail), /refused/);
    await part.open();
    assert.throws(() => part.use(fail), /refused/);
  });
});
