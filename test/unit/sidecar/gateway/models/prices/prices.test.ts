import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { costOf, greatestCost, pricesOf } from '../../../../../../sidecar/gateway/models/prices/prices.ts';
import type { OpenModelParams } from '../../../../../../sidecar/protocol/gateway/model.ts';
import { verifies } from '../../../../../support/verifies.ts';

const today = '2026-11-26';
const nothing = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, cacheCreationHour: 0 };

describe('prices of models', () => {
  verifies('gateway.models.priced');
  const cost = async (params: OpenModelParams, usage: Partial<typeof nothing>, day = today) => {
    const prices = await pricesOf(params, day);
    return prices && Math.round(costOf(prices, { ...nothing, ...usage }) * 1e9) / 1e9;
  };
  const sonnet = 'anthropic/claude-sonnet-4-5-20250929';
  const rows: readonly [
    says: string,
    OpenModelParams,
    Partial<typeof nothing>,
    usd: number | undefined,
    day?: string,
  ][] = [
    ['input and output', { model: 'openai/gpt-5' }, { input: 1_000, output: 100 }, 0.00225],
    ['tokens that were read from a cache', { model: 'openai/gpt-5' }, { input: 1_000, cacheRead: 200 }, 0.001025],
    [
      'tokens that were written to a cache',
      { model: sonnet },
      { input: 1_000, cacheCreation: 100, cacheRead: 200 },
      0.002535,
    ],
    [
      'tokens that were cached for an hour',
      { model: sonnet },
      { input: 100, cacheCreation: 100, cacheCreationHour: 100 },
      0.0006,
    ],
    ['a call with the most input before prices rise', { model: sonnet }, { input: 200_000, output: 1_000 }, 0.615],
    ['all tokens of a call with more input', { model: sonnet }, { input: 200_001, output: 1_000 }, 1.222506],
    ['a model that became cheaper, before', { model: 'openai/o3' }, { input: 1_000_000 }, 10, '2025-06-09'],
    ['a model that became cheaper, since', { model: 'openai/o3' }, { input: 1_000_000 }, 2, '2025-06-10'],
    [
      "a record's own prices, also for caches",
      { model: sonnet, input_cost_per_token: 0.001, output_cost_per_token: 0.002 },
      { input: 10, cacheRead: 5, cacheCreation: 5, output: 10 },
      0.03,
    ],
    [
      "a record's own price for caches",
      { model: sonnet, input_cost_per_token: 1, output_cost_per_token: 1, cache_read_input_token_cost: 0.5 },
      { input: 10, cacheRead: 10 },
      5,
    ],
    ['no model that is not in the table', { model: 'openai/gpt-real' }, { input: 1 }, undefined],
    ['no local model', { model: 'ollama/gpt-5' }, { input: 1 }, undefined],
  ];
  for (const [says, params, usage, usd, day] of rows)
    it(`count ${says}`, async () => {
      assert.equal(await cost(params, usage, day), usd);
    });

  it('limit the cost of a call to the highest of them', async () => {
    const prices = await pricesOf({ model: sonnet }, today);
    assert.ok(prices);
    assert.equal(greatestCost(prices, 1_000_000, 1_000_000), 12 + 22.5);
    for (const input of [1, 200_000, 200_001])
      for (const cache of ['cacheRead', 'cacheCreation'] as const) {
        const usage = {
          ...nothing,
          input,
          output: 7,
          [cache]: input,
          cacheCreationHour: cache === 'cacheRead' ? 0 : input,
        };
        assert.ok(costOf(prices, usage) <= greatestCost(prices, input, 7));
      }
  });

  const sources: readonly [says: string, OpenModelParams, source: string | undefined][] = [
    ['the price table', { model: 'openai/gpt-5' }, 'price_table'],
    ['the price table, if only one price is set', { model: 'openai/gpt-5', input_cost_per_token: 1 }, 'price_table'],
    ['the model', { model: 'openai/gpt-5', input_cost_per_token: 0, output_cost_per_token: 0 }, 'model'],
    ['nowhere', { model: 'vllm/local' }, undefined],
  ];
  for (const [says, params, source] of sources)
    it(`name their source: ${says}`, async () => {
      const found = (await pricesOf(params, today))?.source;
      assert.deepEqual(
        [found?.source, /^\d{4}-\d\d-\d\d$/.test(found?.date ?? '')],
        [source, source === 'price_table'],
      );
    });
});
