import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { dailyActivity } from '../../../../../sidecar/gateway/activity/dailyActivity.ts';
import { DailyActivityQuery } from '../../../../../sidecar/protocol/gateway/activityQueries.ts';

type Reads = Parameters<typeof dailyActivity>[0];
type DaySum = Awaited<ReturnType<Reads['days']>>[number];

const sum = (more: Partial<DaySum>): DaySum =>
  ({
    entity: 'u1',
    api_key: 'k1',
    model: 'm',
    provider: '',
    endpoint: '/mcp',
    model_group: '',
    mcp_namespaced_tool_name: '',
    spend: 1,
    prompt_tokens: 2,
    completion_tokens: 3,
    successful_requests: 4,
    failed_requests: 1,
    ...more,
  }) as DaySum;

/** Sums by day, and what was asked of them. */
function open(days: Readonly<Record<string, readonly DaySum[] | Error>>) {
  const asked: unknown[] = [];
  const reads = {
    dates: async (range: object) => {
      asked.push(range);
      return Object.keys(days);
    },
    days: async ({ start, end }: { start: string; end: string }) => {
      assert.equal(start, end);
      asked.push(start);
      const found = days[start]!;
      if (found instanceof Error) throw found;
      return found;
    },
    keyFacts: async (hashes: readonly string[]) => {
      asked.push([...hashes]);
      await new Promise((resolve) => void setImmediate(resolve));
      return new Map(
        hashes
          .filter((it) => it !== 'gone')
          .map((it) => [it, { key_alias: `alias of ${it}`, team_id: null, user_id: null, user_email: null }]),
      );
    },
  } as unknown as Reads;
  const read = (more: object = {}) =>
    dailyActivity(
      reads,
      'user',
      DailyActivityQuery.parse({ start_date: '2026-03-01', end_date: '2026-03-04', ...more }),
    );
  return { asked, read };
}
const [newest, middle, oldest] = ['2026-03-04', '2026-03-03', '2026-03-01'] as const;

describe('a report of days', () => {
  it('reads each day of its page once, and asks once whose a key is, in however many days it is', async () => {
    const { asked, read } = open({
      [newest]: [sum({}), sum({ api_key: '' })],
      [middle]: [sum({}), sum({ api_key: 'k2' }), sum({ api_key: 'k2', endpoint: '/sse' })],
      [oldest]: [sum({ api_key: 'k2' }), sum({ api_key: '' })],
    });
    const { results } = await read();
    const of = (isDay: boolean) => asked.slice(1).filter((it) => (typeof it === 'string') === isDay);
    assert.deepEqual(
      [of(true), of(false)],
      [
        [newest, middle, oldest],
        [['k1'], ['k2']],
      ],
    );
    assert.deepEqual(
      results.map((it) =>
        Object.entries(it.breakdown.api_keys).map(([hash, { metadata }]) => [hash, metadata.key_alias]),
      ),
      [
        [['k1', 'alias of k1']],
        [
          ['k1', 'alias of k1'],
          ['k2', 'alias of k2'],
        ],
        [['k2', 'alias of k2']],
      ],
    );
  });

  it('has pages of whole days, whose totals are of the page', async () => {
    const { asked, read } = open({ [newest]: [sum({})], [middle]: [sum({ spend: 2 })], [oldest]: [sum({ spend: 4 })] });
    const pages = [];
    for (const page of [1, 2, 3]) pages.push(await read({ page, page_size: 2 }));
    assert.deepEqual(
      pages.map(({ results, metadata: { page, total_pages, has_more, total_spend } }) => [
        results.map((it) => it.date),
        [page, total_pages, has_more, total_spend],
      ]),
      [
        [
          [newest, middle],
          [1, 2, true, 3],
        ],
        [[oldest], [2, 2, false, 4]],
        [[], [3, 2, false, 0]],
      ],
    );
    assert.deepEqual(
      asked.filter((it) => typeof it === 'string'),
      [newest, middle, oldest],
      'and reads no day of another page',
    );
  });

  it('adds up each breakdown by its own name, without what has none, and each key within it', async () => {
    const { read } = open({
      [newest]: [
        sum({ mcp_namespaced_tool_name: 'math/add', provider: 'p' }),
        sum({ mcp_namespaced_tool_name: 'math/sub', api_key: 'gone', entity: 'u2', failed_requests: 0 }),
        sum({ model: '', api_key: '', entity: '', endpoint: '/a2a/{agent_id}', spend: 8 }),
      ],
    });
    const [day] = (await read()).results;
    const { api_keys, ...groups } = day!.breakdown;
    const brief = (all: (typeof groups)['models']) =>
      Object.entries(all).map(([name, { metrics, api_key_breakdown: keys }]) => [
        name,
        metrics.spend,
        metrics.api_requests,
        Object.entries(keys).map(([hash, it]) => [hash, it.metrics.spend, it.metadata.key_alias]),
      ]);
    const both = [
      ['k1', 1, 'alias of k1'],
      ['gone', 1, null],
    ];
    assert.deepEqual(Object.fromEntries(Object.entries(groups).map(([name, all]) => [name, brief(all)])), {
      mcp_servers: [['math', 2, 9, both]],
      models: [['m', 2, 9, both]],
      model_groups: [],
      providers: [['p', 1, 5, both.slice(0, 1)]],
      endpoints: [
        ['/mcp', 2, 9, both],
        ['/a2a/{agent_id}', 8, 5, []],
      ],
      entities: [
        ['u1', 1, 5, both.slice(0, 1)],
        ['u2', 1, 4, both.slice(1)],
      ],
    });
    assert.deepEqual(Object.keys(api_keys), ['k1', 'gone']);
    const { spend, total_tokens, successful_requests, failed_requests } = day!.metrics;
    assert.deepEqual([spend, total_tokens, successful_requests, failed_requests], [10, 15, 12, 2]);
  });

  it('fails with the day that cannot be read, and asks for none after it but the one that is on its way', async () => {
    const { asked, read } = open({ [newest]: new Error('away'), [middle]: new Error('away too'), [oldest]: [sum({})] });
    await assert.rejects(read(), /^Error: away$/);
    assert.deepEqual(asked.slice(1), [newest]);
  });

  it('fails with a later day that cannot be read while whose keys they are is asked for the one before', async () => {
    const { asked, read } = open({ [newest]: [sum({})], [middle]: new Error('away'), [oldest]: [sum({})] });
    await assert.rejects(read(), /^Error: away$/);
    assert.deepEqual(asked.slice(1), [newest, middle, ['k1']]);
  });

  it('hands on whose days and of what it wants, and the range of UTC days that hold those of the caller', async () => {
    for (const [timezone, start, end] of [
      [0, '2026-03-01', '2026-03-04'],
      [1, '2026-03-01', '2026-03-05'],
      [-1, '2026-02-28', '2026-03-04'],
    ] as const) {
      const { asked, read } = open({});
      await read({ timezone, entity_ids: 'u1,u2', model: 'm', api_key: 'k1', include_current_utc_day: true });
      const wanted = { entity: 'user', entityIds: ['u1', 'u2'], model: 'm', apiKeys: ['k1'] };
      assert.deepEqual(asked, [{ start, end, ...wanted }]);
    }
  });
});
