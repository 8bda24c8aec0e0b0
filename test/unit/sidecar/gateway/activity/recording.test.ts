import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { beginRecording, type FirstFacts, type Who } from '../../../../../sidecar/gateway/activity/recording.ts';
import { Redactor } from '../../../../../sidecar/platform/redact.ts';
import { SpendLog } from '../../../../../sidecar/protocol/gateway/activity.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

const who: Who = { requestId: 'r1', api_key: 'hash', team_id: 't1', tags: ['a', 'a', 'b'] };
const first: FirstFacts = { endpoint: '/mcp', call_type: 'call_mcp_tool', model: 'MCP: add' };

function record(more: { who?: Partial<Who>; first?: Partial<FirstFacts> } = {}) {
  const clock = new StandingClock('2026-03-04T23:59:59.900Z');
  const redactor = new Redactor();
  redactor.hide('canary-secret');
  const lines: SpendLog[] = [];
  const deps = { clock, redactor, written: (line: SpendLog) => void lines.push(SpendLog.parse(line)) };
  const recording = beginRecording(deps, { ...who, ...more.who }, { ...first, ...more.first });
  return { clock, lines, recording };
}

describe('the record of a request', () => {
  it('says who, what, when and how long', () => {
    const { clock, lines, recording } = record();
    clock.pass(50);
    recording.answered();
    recording.note({ mcp_namespaced_tool_name: 'math/add', metadata: { one: 1 } });
    recording.note({ metadata: { two: 2 } });
    clock.pass(200);
    recording.finish({ status: 'success', spend: 0.25, prompt_tokens: 3, completion_tokens: 4 });
    assert.deepEqual(lines, [
      {
        request_id: 'r1',
        call_type: 'call_mcp_tool',
        endpoint: '/mcp',
        api_key: 'hash',
        spend: 0.25,
        prompt_tokens: 3,
        completion_tokens: 4,
        total_tokens: 7,
        startTime: '2026-03-04T23:59:59.900Z',
        endTime: '2026-03-05T00:00:00.150Z',
        completionStartTime: '2026-03-04T23:59:59.950Z',
        request_duration_ms: 250,
        model: 'MCP: add',
        custom_llm_provider: null,
        api_base: null,
        user: null,
        team_id: 't1',
        organization_id: null,
        end_user: null,
        agent_id: null,
        session_id: null,
        trace_id: null,
        mcp_namespaced_tool_name: 'math/add',
        request_tags: ['a', 'b'],
        requester_ip_address: null,
        status: 'success',
        error: null,
        error_code: null,
        metadata: { one: 1, two: 2 },
      },
    ]);
  });

  it('is one, however often the request ends: the first end counts', () => {
    const { lines, recording } = record();
    recording.finish({ status: 'failure', error: 'it broke' });
    recording.finish({ status: 'success', spend: 9 });
    assert.deepEqual(
      lines.map((it) => [it.status, it.error]),
      [['failure', 'it broke']],
    );
  });

  it('costs nothing where the request failed', () => {
    const { lines, recording } = record();
    recording.finish({ status: 'failure', spend: 5, error_code: 'budget_exceeded' });
    assert.deepEqual([lines[0]?.spend, lines[0]?.error_code], [0, 'budget_exceeded']);
  });

  it('holds no secret in error, address or metadata', () => {
    const { lines, recording } = record();
    recording.note({
      api_base: 'https://me:hunter22@host/',
      metadata: { password: 'x', deep: { said: 'canary-secret' } },
    });
    recording.finish({ status: 'failure', error: 'refused Bearer abcdefghijkl and canary-secret' });
    assert.doesNotMatch(JSON.stringify(lines), /hunter22|"x"|canary-secret|abcdefghijkl/);
  });

  it('takes nonsense for numbers as nothing', () => {
    const { lines, recording } = record();
    recording.finish({ status: 'success', spend: Number.NaN, prompt_tokens: -3, completion_tokens: 1.5 });
    assert.deepEqual([lines[0]?.spend, lines[0]?.prompt_tokens, lines[0]?.total_tokens], [0, 0, 0]);
  });

  it('takes texts of callers as far as every database takes them', () => {
    const { lines, recording } = record({ who: { end_user: `\0${'é'.repeat(10_000)}`, session_id: '\uD800x' } });
    recording.finish({ status: 'success' });
    const [line] = lines;
    assert.equal(line?.session_id, '\uFFFDx');
    assert.ok(line?.end_user?.startsWith('\uFFFDé') && line.end_user.length === 512);
  });

  it('prefers the tags of the body to those of the header', () => {
    const { lines, recording } = record();
    recording.note({ tags: ['own'] });
    recording.finish({ status: 'success' });
    assert.deepEqual(lines[0]?.request_tags, ['own']);
  });

  it('has no negative time when somebody sets the clock back', () => {
    const { clock, lines, recording } = record();
    clock.setTo('2026-03-04T10:00:00.000Z');
    recording.finish({ status: 'success' });
    assert.deepEqual([lines[0]?.request_duration_ms, lines[0]?.startTime], [0, lines[0]?.endTime]);
  });
});
