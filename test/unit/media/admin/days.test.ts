import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readDays } from '../../../../media/admin/pages/usage/days.ts';
import { DailyActivityAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';

const metrics = { successful_requests: 1, failed_requests: 0, api_requests: 1, total_tokens: 0, spend: 0 };
const answer = (date: string, has_more: boolean) =>
  DailyActivityAnswer.parse({ results: [{ date, metrics, breakdown: {} }], metadata: { has_more } });

describe('the days of an activity', () => {
  it('come page by page, and are shown while others are on their way', async () => {
    const pages: number[] = [];
    const seen: string[] = [];
    const days = await readDays(
      async (page) => {
        pages.push(page);
        return answer(`2026-11-2${4 - page}`, page < 3);
      },
      (some) => void seen.push(some.map((it) => it.date).join()),
    );
    assert.deepEqual(
      [pages, seen],
      [
        [1, 2, 3],
        ['2026-11-23', '2026-11-23,2026-11-22'],
      ],
    );
    assert.deepEqual(
      days.map((it) => it.date),
      ['2026-11-23', '2026-11-22', '2026-11-21'],
    );
  });

  it('end with the request that fails', async () => {
    const pages: number[] = [];
    const read = async (page: number) => {
      pages.push(page);
      if (page === 2) throw new Error('the gateway left');
      return answer('2026-11-23', true);
    };
    await assert.rejects(
      readDays(read, () => undefined),
      /the gateway left/,
    );
    assert.deepEqual(pages, [1, 2]);
  });
});
