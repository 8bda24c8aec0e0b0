import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { sumDays } from '../../../../media/admin/pages/usage/sums.ts';
import { DailyActivityAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';

const metrics = (successful: number, failed: number) => ({
  successful_requests: successful,
  failed_requests: failed,
  api_requests: successful + failed,
  total_tokens: 10,
  spend: 0.5,
});
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
      { id: 'h2', name: 'ci', successful: 5, failed: 1, total: 6, tokens: 10, spend: 0.5 },
      { id: 'h1', name: 'h1', successful: 3, failed: 2, total: 5, tokens: 20, spend: 1 },
    ]);
    assert.deepEqual(sumDays(results, 'entities'), []);
  });
});
