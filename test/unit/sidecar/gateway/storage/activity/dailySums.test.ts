import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { DailySums } from '../../../../../../sidecar/gateway/storage/activity/dailySums.ts';
import { endedCall } from '../../../../../../sidecar/gateway/storage/activity/endedCall.ts';
import type { SpendLog } from '../../../../../../sidecar/protocol/gateway/activity.ts';

const call: SpendLog = {
  request_id: 'r',
  call_type: 'call_mcp_tool',
  endpoint: '/mcp',
  api_key: 'k',
  spend: 0.5,
  prompt_tokens: 2,
  completion_tokens: 3,
  total_tokens: 5,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  startTime: '2026-03-01T23:59:59.999Z',
  endTime: '2026-03-02T00:00:01.000Z',
  completionStartTime: null,
  request_duration_ms: 1_001,
  model: 'MCP: add',
  custom_llm_provider: null,
  api_base: null,
  user: null,
  team_id: null,
  organization_id: null,
  end_user: null,
  agent_id: null,
  session_id: null,
  trace_id: null,
  model_group: null,
  mcp_namespaced_tool_name: null,
  request_tags: [],
  requester_ip_address: null,
  status: 'success',
  error: null,
  error_code: null,
  metadata: {},
};
const sumsOf = (...calls: readonly Partial<SpendLog>[]) => {
  const sums = new DailySums();
  for (const it of calls) sums.add(endedCall({ ...call, ...it }));
  return sums;
};

describe('the sums of a day', () => {
  it('add up calls that agree in everything they are grouped by, and count a call on the day it began', () => {
    const [row, ...others] = sumsOf({}, { status: 'failure', spend: 0.25, endTime: '2026-03-03T00:00:00Z' }).calls;
    assert.deepEqual(others, []);
    const { spend, prompt_tokens, completion_tokens, successful_requests, failed_requests, date } = row!;
    assert.deepEqual(
      { spend, prompt_tokens, completion_tokens, successful_requests, failed_requests, date },
      {
        spend: 0.75,
        prompt_tokens: 4,
        completion_tokens: 6,
        successful_requests: 1,
        failed_requests: 1,
        date: '2026-03-01',
      },
    );
  });

  const apart: readonly Partial<SpendLog>[] = [
    { startTime: '2026-03-02T00:00:00.000Z' },
    { endpoint: '/a2a/{agent_id}' },
    { api_key: 'other' },
    { team_id: 't' },
    { organization_id: 'o' },
    { user: 'u' },
    { end_user: 'e' },
    { agent_id: 'a' },
    { model: 'MCP: sub' },
    { custom_llm_provider: 'p' },
    { mcp_namespaced_tool_name: 'math/sub' },
  ];
  for (const it_ of apart)
    it(`keep calls apart that differ in ${Object.keys(it_)[0]}`, () => {
      const rows = sumsOf({}, it_).calls;
      assert.equal(rows.length, 2);
      assert.equal(new Set(rows.map((row) => row.id)).size, 2);
    });

  it('have the same row for the same group in every batch, so that batches add to it', () => {
    assert.equal(sumsOf({}).calls[0]?.id, sumsOf({ spend: 9, request_id: 'other' }).calls[0]?.id);
  });

  it('count a call once for each of its tags, however often it names one', () => {
    const tags = sumsOf({ request_tags: ['a', 'b', 'a'] }).tags;
    assert.deepEqual(
      tags.map(({ tag, spend, successful_requests }) => [tag, spend, successful_requests]),
      [
        ['a', 0.5, 1],
        ['b', 0.5, 1],
      ],
    );
  });

  it('count every request at the edge: calls, and those that leave no line', () => {
    const sums = sumsOf({}, { status: 'failure' });
    sums.addEdge('2026-03-01', '/mcp', false);
    sums.addEdge('2026-03-01', '/mcp', true, 3);
    sums.addEdge('2026-03-02', '/mcp', false, 2);
    assert.deepEqual(sums.edge, [
      { date: '2026-03-01', endpoint: '/mcp', successful_requests: 4, failed_requests: 2 },
      { date: '2026-03-02', endpoint: '/mcp', successful_requests: 0, failed_requests: 2 },
    ]);
    assert.equal(sums.size, 3);
  });

  it('begin as a copy of others that stay as they were', () => {
    const before = sumsOf({ request_tags: ['a'] });
    const after = new DailySums(before);
    after.add(endedCall({ ...call, request_tags: ['a', 'b'] }));
    assert.deepEqual([before.calls[0]?.spend, after.calls[0]?.spend], [0.5, 1]);
    assert.deepEqual([before.tags.length, after.tags.length], [1, 2]);
    assert.deepEqual([before.edge[0]?.successful_requests, after.edge[0]?.successful_requests], [1, 2]);
  });

  it('take back a call that was added, from its own row, its tags and the edge', () => {
    const tagged = { ...call, request_tags: ['a'] };
    const sums = sumsOf(tagged, tagged, { status: 'failure', spend: 0.25 });
    sums.remove(endedCall(tagged));
    const [row] = sums.calls;
    assert.deepEqual([row?.spend, row?.prompt_tokens, row?.successful_requests, row?.failed_requests], [0.75, 4, 1, 1]);
    assert.deepEqual(
      sums.tags.map((it) => [it.tag, it.spend, it.successful_requests]),
      [['a', 0.5, 1]],
    );
    assert.deepEqual(
      sums.edge.map((it) => [it.successful_requests, it.failed_requests]),
      [[1, 1]],
    );
  });

  it('add others to rows of the same group, and make a row of its own for each other group', () => {
    const sums = sumsOf({ request_tags: ['a'] });
    sums.addAll(sumsOf({ request_tags: ['a', 'b'] }, { end_user: 'e', spend: 2, status: 'failure' }));
    assert.deepEqual(
      sums.calls.map((it) => [it.end_user, it.spend, it.successful_requests, it.failed_requests]),
      [
        ['', 1, 2, 0],
        ['e', 2, 0, 1],
      ],
    );
    assert.deepEqual(
      sums.tags.map((it) => [it.tag, it.spend]),
      [
        ['a', 1],
        ['b', 0.5],
      ],
    );
    assert.deepEqual(
      sums.edge.map((it) => [it.successful_requests, it.failed_requests]),
      [[2, 1]],
    );
    assert.equal(sums.calls[1]?.id, sumsOf({ end_user: 'e' }).calls[0]?.id);
  });

  it('count end users and tags together once there are too many rows, and no call is lost', () => {
    const sums = sumsOf({ end_user: 'e0' });
    const others = Array.from({ length: 9 }, (_, n) => ({ end_user: `e${n}`, request_tags: [`t${n}`] }));
    sums.addAll(sumsOf(...others), 5);
    assert.deepEqual(
      sums.calls.map((it) => [it.end_user, it.successful_requests]),
      [
        ['e0', 2],
        ['e1', 1],
        ['e2', 1],
        ['e3', 1],
        ['', 5],
      ],
    );
    assert.deepEqual([sums.tags.length, sums.edge[0]?.successful_requests], [0, 10]);
    assert.equal(sums.calls.at(-1)?.id, sumsOf({}).calls[0]?.id);
  });
});
