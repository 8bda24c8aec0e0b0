import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { CallRecording, type FirstFacts, type Who } from '../../../../../sidecar/gateway/activity/recording.ts';
import type { EndedCall } from '../../../../../sidecar/gateway/storage/activity/endedCall.ts';
import { Redactor } from '../../../../../sidecar/platform/redact.ts';
import type { SpendLog } from '../../../../../sidecar/protocol/gateway/activity.ts';
import { callLines } from '../../../../support/gateway/activityLines.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

const who: Who = { api_key: 'hash', team_id: 't1', tags: ['a', 'a', 'b'] };
const first: FirstFacts = { endpoint: '/mcp', call_type: 'call_mcp_tool', model: 'MCP: add' };

function record(more: { who?: Partial<Who>; first?: Partial<FirstFacts> } = {}) {
  const clock = new StandingClock('2026-03-04T23:59:59.900Z');
  const redactor = new Redactor();
  redactor.hide('canary-secret');
  const lines: SpendLog[] = [];
  const deps = { clock, redactor, ended: (call: EndedCall) => void lines.push(callLines([call]).read(0)) };
  const recording = new CallRecording(deps, 'r1', { ...who, ...more.who }, { ...first, ...more.first });
  return { clock, lines, recording };
}

describe('records of one caller', () => {
  const kinds: readonly [what: keyof SpendLog, fact: Partial<FirstFacts>, value: unknown][] = [
    ['endpoint', { endpoint: '/{server}/mcp' }, '/{server}/mcp'],
    ['call_type', { call_type: 'list_mcp_tools' }, 'list_mcp_tools'],
    ['model', { model: 'MCP: sub' }, 'MCP: sub'],
    ['custom_llm_provider', { custom_llm_provider: 'cursor' }, 'cursor'],
    ['api_base', { api_base: 'https://one.example' }, 'https://one.example'],
    ['mcp_namespaced_tool_name', { mcp_namespaced_tool_name: 'math/sub' }, 'math/sub'],
    ['agent_id', { agent_id: 'a1' }, 'a1'],
    ['session_id', { session_id: 's1' }, 's1'],
    ['request_tags', { tags: ['c'] }, ['c']],
    ['metadata', { metadata: { one: 1 } }, { one: 1 }],
  ];
  for (const [what, fact, value] of kinds)
    it(`say each for itself what its call was where calls differ in ${what}`, () => {
      const lines: SpendLog[] = [];
      const ended = (call: EndedCall) => void lines.push(callLines([call]).read(0));
      const deps = { clock: new StandingClock('2026-03-04T10:00:00.000Z'), redactor: new Redactor(), ended };
      for (const [at, its] of [first, { ...first, ...fact }, first].entries())
        new CallRecording(deps, `r${at}`, who, its).finish({ status: 'success', prompt_tokens: at });
      const [before, other, after] = lines;
      assert.deepEqual(other, { ...before, request_id: 'r1', prompt_tokens: 1, total_tokens: 1, [what]: value });
      assert.deepEqual(after, { ...before, request_id: 'r2', prompt_tokens: 2, total_tokens: 2 });
    });
});

describe('the record of a request', () => {
  it('says who, what, when and how long', () => {
    const { clock, lines, recording } = record();
    clock.pass(50);
    recording.answered();
    recording.note({ mcp_namespaced_tool_name: 'math/add', metadata: { one: 1 } });
    recording.note({ metadata: { two: 2 } });
    clock.pass(200);
    const tokens = {
      prompt_tokens: 3,
      completion_tokens: 4,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 1,
    };
    recording.finish({ status: 'success', spend: 0.25, ...tokens });
    assert.deepEqual(lines, [
      {
        request_id: 'r1',
        call_type: 'call_mcp_tool',
        endpoint: '/mcp',
        api_key: 'hash',
        spend: 0.25,
        ...tokens,
        total_tokens: 7,
        startTime: '2026-03-04T23:59:59.900Z',
        endTime: '2026-03-05T00:00:00.150Z',
        completionStartTime: '2026-03-04T23:59:59.950Z',
        request_duration_ms: 250,
        model: 'MCP: add',
        model_group: null,
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

  it('has no first byte where nothing was answered, and the time of the first one where more came', () => {
    const { clock, lines, recording } = record();
    recording.finish({ status: 'failure' });
    const other = record();
    for (const ms of [10, 20]) {
      other.clock.pass(ms);
      other.recording.answered();
    }
    other.recording.finish({ status: 'success' });
    assert.equal(clock.nowMs(), other.clock.nowMs() - 30);
    assert.deepEqual(
      [...lines, ...other.lines].map((it) => it.completionStartTime),
      [null, '2026-03-04T23:59:59.910Z'],
    );
  });

  it('has each name of its caller in its own column; an agent and a session that the call itself names count more', () => {
    const whose = {
      user_id: 'user',
      team_id: 'team',
      organization_id: 'org',
      end_user: 'end',
      agent_id: 'agent',
      session_id: 'session',
      trace_id: 'trace',
      requester_ip_address: '192.0.2.1',
    };
    const plain = record({ who: whose });
    plain.recording.note({ api_base: 'https://host.test/mcp', custom_llm_provider: 'p' });
    plain.recording.note({ model: 'later' });
    plain.recording.finish({ status: 'success' });
    const { user_id, ...own } = whose;
    const {
      lines: [line],
    } = plain;
    assert.partialDeepStrictEqual(line, {
      ...own,
      user: user_id,
      api_base: 'https://host.test/mcp',
      custom_llm_provider: 'p',
      model: 'later',
      call_type: 'call_mcp_tool',
    });
    const named = record({ who: whose });
    named.recording.note({ agent_id: 'called', session_id: 'its', call_type: 'other', custom_llm_provider: null });
    named.recording.finish({ status: 'success', error: '', error_code: '' });
    assert.partialDeepStrictEqual(named.lines[0], {
      agent_id: 'called',
      session_id: 'its',
      call_type: 'other',
      model: 'MCP: add',
      api_base: null,
      custom_llm_provider: null,
      error: '',
      error_code: null,
    });
  });

  it('has all tags of its key and team, and of the caller as many as there is room for', () => {
    const many = Array.from({ length: 100 }, (_, n) => `t${n}`);
    for (const [tags, labels, kept] of [
      [many, ['x', 'y'], [...many.slice(0, 62), 'x', 'y']],
      [['x', 'a'], ['x'], ['x', 'a']],
      [many, many.map((it) => `l${it}`), many.slice(0, 64).map((it) => `l${it}`)],
      [undefined, ['x'], ['x']],
      [many, undefined, many.slice(0, 64)],
    ] as const) {
      const { lines, recording } = record({ who: { tags, labels } });
      recording.finish({ status: 'success' });
      assert.deepEqual(lines[0]?.request_tags, kept);
    }
  });

  it('cuts an error at 4,000 characters and other texts at 512', () => {
    const { lines, recording } = record({ first: { model: 'm'.repeat(513) } });
    recording.finish({ status: 'failure', error: 'e'.repeat(4_001) });
    assert.deepEqual([lines[0]?.error?.length, lines[0]?.model.length], [4_000, 512]);
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

  it('keeps no half of a character that its limit cuts', () => {
    const { lines, recording } = record({ who: { end_user: `${'x'.repeat(511)}\u{1F600}` } });
    recording.finish({ status: 'success' });
    assert.equal(lines[0]?.end_user, `${'x'.repeat(511)}\uFFFD`);
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
