import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Directory } from '../../../../../sidecar/gateway/auth/directory.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';

describe('what the gateway remembers of its records', () => {
  /** A store with one key, whose reads end when they are let go. */
  function open() {
    let key = { token: 'k', blocked: false };
    let changed = (_kind: string, _id: string): void => undefined;
    const reads: (() => void)[] = [];
    let asked = 0;
    const store = {
      changes: { listen: (listener: typeof changed) => void (changed = listener) },
      key: {
        async get() {
          asked += 1;
          const found = key;
          await new Promise<void>((resolve) => void reads.push(resolve));
          return found;
        },
      },
    };
    return {
      directory: new Directory(store as unknown as GatewayStore),
      asked: () => asked,
      letGo() {
        for (const it of reads.splice(0)) it();
      },
      block(id = 'k') {
        key = { token: 'k', blocked: true };
        changed('key', id);
      },
    };
  }
  type Opened = ReturnType<typeof open>;
  const isBlocked = async ({ directory, letGo }: Opened) => {
    const reading = directory.get('key', 'k');
    letGo();
    return (await reading)?.blocked;
  };

  it('is not what was read while it was changed: a key that is blocked in that moment is blocked for the next call', async () => {
    const opened = open();
    const early = opened.directory.get('key', 'k');
    opened.block();
    opened.letGo();
    assert.equal((await early)?.blocked, false, 'it was read before');
    assert.equal(await isBlocked(opened), true);
  });

  it('is what was read when nothing was changed meanwhile, and nobody is asked again', async () => {
    const opened = open();
    assert.deepEqual([await isBlocked(opened), await isBlocked(opened), opened.asked()], [false, false, 1]);
    opened.block();
    assert.deepEqual([await isBlocked(opened), opened.asked()], [true, 2]);
  });
});
