import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { InTurn } from '../../../../sidecar/platform/inTurn.ts';

const aMoment = async () => {
  for (let n = 0; n < 5; n += 1) await new Promise((resolve) => void setImmediate(resolve));
};

describe('work in turn', () => {
  /** Work that ends when the test says so. */
  function open() {
    const events: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const inTurn = new InTurn();
    const begin = (key: string, name: string) => {
      const running = inTurn.run(key, () => {
        events.push(`${name} began`);
        return new Promise<void>((resolve, reject) => {
          ends.set(name, (error) => (error ? reject(error) : resolve()));
        });
      });
      running.catch(() => events.push(`${name} failed`));
      return running;
    };
    return { events, inTurn, begin, end: (name: string, error?: Error) => ends.get(name)?.(error) };
  }

  it('is done one after the other, also by who came when the first had ended and the second had not', async () => {
    const { events, begin, end, inTurn } = open();
    void begin('a', 'first');
    void begin('a', 'second');
    await aMoment();
    end('first');
    await aMoment();
    void begin('a', 'third');
    await aMoment();
    assert.deepEqual(events, ['first began', 'second began']);
    end('second');
    await aMoment();
    assert.deepEqual(events, ['first began', 'second began', 'third began']);
    end('third');
    await aMoment();
    assert.equal(inTurn.whenFree('a'), undefined, 'nothing is kept of it');
  });

  it('goes on behind work that failed, and beside work about something else', async () => {
    const { events, begin, end } = open();
    begin('a', 'first').catch(() => undefined);
    void begin('a', 'second');
    void begin('b', 'other');
    await aMoment();
    assert.deepEqual(events, ['first began', 'other began']);
    end('first', new Error('no luck'));
    await aMoment();
    assert.deepEqual(events, ['first began', 'other began', 'first failed', 'second began']);
  });
});
