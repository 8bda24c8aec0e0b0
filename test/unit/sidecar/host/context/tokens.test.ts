import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { type TokenHolder, Tokens } from '../../../../../sidecar/host/context/tokens.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { verifies } from '../../../../support/verifies.ts';

const resource = 'https://vault.test/api';

describe('tokens that are being checked', () => {
  const answers = new Map<string, (isGood: boolean) => void>();
  let tokens: Tokens;
  let holder: TokenHolder;
  const taken: (string | undefined)[] = [];
  beforeEach(() => {
    answers.clear();
    taken.length = 0;
    holder = { clientId: 'c1', tokens: new Map() };
    tokens = new Tokens({
      ofAgents: () => [],
      notify: () => undefined,
      hide: () => undefined,
      timers: stillTimers,
    });
    tokens.advertise({ resource }, ({ value }) => new Promise((resolve) => void answers.set(value, resolve)));
    tokens.onAccepted((of) => void taken.push(of.tokens.get(resource)?.value));
  });
  const push = (token: string) => tokens.accept(holder, { resource, token });

  for (const order of [
    ['older', 'newer'],
    ['newer', 'older'],
  ] as const) {
    it(`count by when they were pushed: the newer one, with the answer about the ${order[0]} one first`, async () => {
      verifies('host.auth.latest-push');
      const pushes = { older: push('older'), newer: push('newer') };
      for (const it of order) {
        answers.get(it)!(true);
        await pushes[it];
      }
      assert.equal(holder.tokens.get(resource)?.value, 'newer');
      assert.deepEqual(taken, ['newer']);
    });
  }

  it('count for nobody when their client is gone before the answer', async () => {
    verifies('host.auth.latest-push');
    const pushed = push('late');
    tokens.forget(holder);
    answers.get('late')!(true);
    await pushed;
    assert.deepEqual([holder.tokens.size, taken], [0, []]);
  });
});
