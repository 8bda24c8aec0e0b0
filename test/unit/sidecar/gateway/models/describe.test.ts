import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { BackendChoice } from '../../../../../sidecar/gateway/models/backendChoice.ts';
import { describeModel } from '../../../../../sidecar/gateway/models/describe.ts';
import type { ModelRecord } from '../../../../../sidecar/protocol/gateway/model.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { verifies } from '../../../../support/verifies.ts';

const at = '2026-11-26T10:00:00.000Z';
const record = (params: Partial<ModelRecord['gateway_params']> = {}): ModelRecord => ({
  model_id: 'm',
  model_name: 'smart',
  gateway_params: { model: 'openai/gpt-5', ...params },
  created_at: at,
  updated_at: at,
});

describe('what is shown of a backend of a model', () => {
  verifies('gateway.models.shown');
  const open = () => {
    const clock = new StandingClock(at);
    return { clock, choice: new BackendChoice(clock, (bytes) => new Uint8Array(bytes)) };
  };

  const prices: readonly [says: string, params: Partial<ModelRecord['gateway_params']>, expected: object | null][] = [
    [
      'names the prices per million tokens and the date of the price table',
      {},
      { source: 'price_table', date: '2026-09-23', input: 1.25, output: 10, cache_read: 0.125, cache_creation: 1.25 },
    ],
    [
      'names the number of input tokens above which prices are higher',
      { model: 'openai/gpt-5.4' },
      {
        source: 'price_table',
        date: '2026-09-23',
        input: 2.5,
        output: 15,
        cache_read: 0.25,
        cache_creation: 2.5,
        higher_above: 271_999,
      },
    ],
    [
      'says that its own prices apply',
      { input_cost_per_token: 0.000_002, output_cost_per_token: 0.000_004, cache_read_input_token_cost: 0.000_001 },
      { source: 'model', input: 2, output: 4, cache_read: 1, cache_creation: 2 },
    ],
    ['says that prices are not known', { model: 'vllm/local' }, null],
  ];
  for (const [says, params, expected] of prices)
    it(says, async () => {
      const { choice, clock } = open();
      assert.deepEqual((await describeModel(record(params), choice, clock.nowMs())).prices, expected);
    });

  it('says that it has not been called, that it works, and how long it is avoided after failures', async () => {
    const { choice, clock } = open();
    const health = async () => (await describeModel(record(), choice, clock.nowMs())).health;
    assert.deepEqual(await health(), { status: 'unknown', failures: 0, requests: 0, tokens: 0 });
    choice.began(record());
    choice.used(record(), 7);
    choice.answered(record());
    assert.deepEqual(await health(), { status: 'ready', failures: 0, requests: 1, tokens: 7 });
    choice.failed(record(), undefined);
    const ready_at = '2026-11-26T10:00:05.000Z';
    assert.deepEqual(await health(), { status: 'cooling_down', failures: 1, requests: 1, tokens: 7, ready_at });
    clock.pass(5_000);
    assert.deepEqual((await health()).status, 'ready');
    clock.pass(60_000);
    assert.deepEqual(await health(), { status: 'ready', failures: 1, requests: 0, tokens: 0 });
  });

  it('says that a limit of this minute is reached', async () => {
    const { choice, clock } = open();
    const limited = record({ rpm: 1 });
    choice.began(limited);
    assert.equal((await describeModel(limited, choice, clock.nowMs())).health.status, 'full');
  });
});
