import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { Relay } from '../../../../src/sidecar/relay.ts';
import { takeOver } from '../../../../src/sidecar/takeOver.ts';

describe('a try to get a relay', () => {
  let log: string[];
  let isWanted: boolean;
  beforeEach(() => {
    log = [];
    isWanted = true;
  });
  const relay = { close: async () => void log.push('closed') } as Relay;
  const run = (more: { open?: () => Promise<Relay>; attach?: () => void } = {}) =>
    takeOver({
      open: more.open ?? (async () => relay),
      isWanted: () => isWanted,
      attach: more.attach ?? (() => void log.push('attached')),
      failed: (error) => void log.push(`failed: ${String(error)}`),
    });

  it('takes it over once its handshake was answered, and leaves it open', async () => {
    await run();
    assert.deepEqual(log, ['attached']);
  });

  it('closes one whose handshake was of no use, after another may be started', async () => {
    await run({
      attach: () => {
        throw new Error('of no use');
      },
    });
    assert.deepEqual(log, ['failed: Error: of no use', 'closed']);
  });

  it('closes one that came when nobody wanted it any more, and reports nothing', async () => {
    const open = async () => {
      isWanted = false;
      return relay;
    };
    await run({ open });
    assert.deepEqual(log, ['closed']);
  });

  it('says why none came, unless nobody wants one any more', async () => {
    const open = () => Promise.reject(new Error('no sidecar'));
    await run({ open });
    isWanted = false;
    await run({ open });
    assert.deepEqual(log, ['failed: Error: no sidecar']);
  });
});
