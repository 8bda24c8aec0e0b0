import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
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

describe('tokens that a resource wants', () => {
  let demanded: string[];
  let tokens: Tokens;
  let holder: TokenHolder;
  beforeEach(() => {
    demanded = [];
    holder = { clientId: 'c1', tokens: new Map() };
    tokens = new Tokens({
      ofAgents: () => [],
      notify: (_client, _method, params) => void demanded.push((params as { reason: string }).reason),
      hide: () => undefined,
      timers: stillTimers,
    });
    tokens.advertise({ resource });
  });

  it('are asked for once the one that was refused is gone, and not where another came meanwhile', async () => {
    tokens.demand(holder, resource);
    await tokens.accept(holder, { resource, token: 'first' });
    tokens.demand(holder, resource, { refused: 'first' });
    await tokens.accept(holder, { resource, token: 'second' });
    tokens.demand(holder, resource, { refused: 'first' });
    tokens.demand(holder, resource);
    assert.deepEqual([demanded, holder.tokens.get(resource)?.value], [['required', 'expired'], 'second']);
    await assert.rejects(tokens.accept(holder, { resource, token: 'first' }), { code: 'auth_required' });
  });

  it('are waited for with one listener, which goes with the wait', async () => {
    const turn = new AbortController();
    const waiting = tokens.next(() => holder, resource, turn.signal);
    assert.equal(getEventListeners(turn.signal, 'abort').length, 1);
    await tokens.accept(holder, { resource, token: 'first' });
    assert.equal(await waiting, 'first');
    assert.equal(getEventListeners(turn.signal, 'abort').length, 0);
  });
});
