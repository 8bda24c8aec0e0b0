import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { sumDays, sumEndpoints } from '../../../../media/admin/pages/usage/sums.ts';
import { DailyActivityAnswer, EndpointActivityAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';

const metrics = (successful: number, failed: number) => ({
  successful_requests: successful,
  failed_requests: failed,
  api_requests: successful + failed,
  total_tokens: 10,
  prompt_tokens: 7,
  completion_tokens: 3,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 2,
  spend: 0.5,
});
const parts = (days: number) => ({ input: 7 * days, output: 3 * days, cacheRead: 4 * days, cacheCreation: 2 * days });
const day = (date: string, api_keys: object) => ({ date, metrics: metrics(0, 0), breakdown: { api_keys } });

describe('activity by name', () => {
  it('adds up the days, most requests first, with the names that are known', () => {
    const { results } = DailyActivityAnswer.parse({
      results: [
        day('2026-11-21', {
          h1: { metrics: metrics(1, 0) },
          h2: { metrics: metrics(5, 1), metadata: { key_alias: 'ci' } },
        }),
        day('2026-11-20', { h1: { metrics: metrics(2, 2), metadata: { key_alias: null } } }),
      ],
      metadata: {},
    });
    assert.deepEqual(sumDays(results, 'api_keys'), [
      { id: 'h2', name: 'ci', successful: 5, failed: 1, total: 6, tokens: 10, spend: 0.5, ...parts(1) },
      { id: 'h1', name: 'h1', successful: 3, failed: 2, total: 5, tokens: 20, spend: 1, ...parts(2) },
    ]);
    assert.deepEqual(sumDays(results, 'entities'), []);
  });
});

describe('activity of endpoints', () => {
  const sums = (successful: number, failed: number) => ({
    successful_requests: successful,
    failed_requests: failed,
    total_requests: successful + failed,
    success_rate: null,
    total_tokens: 2,
    spend: 0.25,
  });
  const endpoint = (name: string, ...days: [string, number, number][]) => ({
    endpoint: name,
    ...sums(3, 1),
    daily: days.map(([date, successful, failed]) => ({ date, ...sums(successful, failed) })),
  });
  const all = [endpoint('/mcp', ['2026-11-20', 1, 1], ['2026-11-21', 2, 0]), endpoint('/sse', ['2026-11-21', 3, 1])];

  for (const [says, answer] of [
    ['bare', all],
    ['with sums', { endpoints: all, totals: {}, daily: [] }],
  ] as const) {
    it(`adds up to totals and days, whether the list comes ${says}`, () => {
      const { totals, daily } = sumEndpoints(EndpointActivityAnswer.parse(answer));
      assert.deepEqual(totals, { ...sums(6, 2), success_rate: 75, total_tokens: 4, spend: 0.5 });
      assert.deepEqual(daily, [
        { date: '2026-11-20', ...sums(1, 1), success_rate: 50 },
        { date: '2026-11-21', ...sums(5, 1), success_rate: (5 / 6) * 100, total_tokens: 4, spend: 0.5 },
      ]);
    });
  }

  it('has no rate where there was no request', () => assert.equal(sumEndpoints([]).totals.success_rate, null));
});
