import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Circuit, type Probe } from '../../../../../../../sidecar/gateway/backends/mcp/resilience/circuit.ts';
import type { CircuitBreakerSettings } from '../../../../../../../sidecar/protocol/gateway/resilience.ts';
import { SetClock } from '../../../../../../support/backends/setClock.ts';

/** `f` failed, `r` reached, `a` abandoned, a number: so many seconds pass. */
type Step = 'f' | 'r' | 'a' | number;

const cases: readonly {
  readonly says: string;
  readonly settings: CircuitBreakerSettings;
  readonly steps: readonly Step[];
  readonly state: string;
}[] = [
  { says: 'stays closed below the number', settings: { failures: 3 }, steps: ['f', 'f', 'r'], state: 'closed' },
  { says: 'opens at the number', settings: { failures: 3 }, steps: ['f', 'r', 'f', 'f'], state: 'open' },
  {
    says: 'forgets failures that are older than the window',
    settings: { failures: 3, window_s: 10 },
    steps: ['f', 'f', 11, 'f'],
    state: 'closed',
  },
  {
    says: 'counts failures within the window together',
    settings: { failures: 3, window_s: 10 },
    steps: ['f', 'f', 8, 'f'],
    state: 'open',
  },
  {
    says: 'does not judge a share of few requests',
    settings: { failure_percent: 50, minimum_requests: 4 },
    steps: ['f', 'f', 'f'],
    state: 'closed',
  },
  {
    says: 'opens at the share',
    settings: { failure_percent: 50, minimum_requests: 4 },
    steps: ['r', 'r', 'f', 'f'],
    state: 'open',
  },
  {
    says: 'stays closed below the share',
    settings: { failure_percent: 50, minimum_requests: 4 },
    steps: ['r', 'r', 'r', 'f', 'f'],
    state: 'closed',
  },
  { says: 'does not count callers who left', settings: { failures: 1 }, steps: ['a', 'a'], state: 'closed' },
  {
    says: 'lets a request try after the pause',
    settings: { failures: 1, open_s: 5 },
    steps: ['f', 5],
    state: 'half_open',
  },
  {
    says: 'closes where the request that tries succeeds',
    settings: { failures: 1, open_s: 5 },
    steps: ['f', 5, 'r'],
    state: 'closed',
  },
  {
    says: 'opens again where it fails',
    settings: { failures: 1, open_s: 5 },
    steps: ['f', 5, 'f'],
    state: 'open',
  },
  {
    says: 'lets the next one try where the caller of the first one left',
    settings: { failures: 1, open_s: 5 },
    steps: ['f', 5, 'a', 'r'],
    state: 'closed',
  },
];
const ends = { f: 'failed', r: 'reached', a: 'abandoned' } as const;

describe('the circuit of a server', () => {
  for (const { says, settings, steps, state } of cases)
    it(says, () => {
      const clock = new SetClock();
      const circuit = new Circuit(settings, clock);
      for (const step of steps) {
        if (typeof step === 'number') clock.pass(step * 1_000);
        else entered(circuit)(ends[step]);
      }
      assert.equal(circuit.view().state, state);
    });

  it('says how long requests wait, and lets only one of them try', () => {
    const clock = new SetClock();
    const circuit = new Circuit({ failures: 1, open_s: 5 }, clock);
    entered(circuit)('failed');
    clock.pass(2_000);
    assert.deepEqual([circuit.enter(), circuit.view().retryAfterMs], [3_000, 3_000]);
    clock.pass(3_000);
    const trying = entered(circuit);
    assert.equal(circuit.enter(), 1_000);
    trying('reached');
    entered(circuit)('reached');
  });

  it('does not close or open for a request that began before it opened', () => {
    const clock = new SetClock();
    const circuit = new Circuit({ failures: 1, open_s: 5 }, clock);
    const [slow, slower] = [entered(circuit), entered(circuit)];
    entered(circuit)('failed');
    slow('reached');
    assert.equal(circuit.view().state, 'open');
    clock.pass(5_000);
    entered(circuit)('reached');
    slower('failed');
    assert.equal(circuit.view().state, 'closed');
  });
});

function entered(circuit: Circuit): Probe {
  const probe = circuit.enter();
  assert.ok(typeof probe === 'function', 'the request is let through');
  return probe;
}
