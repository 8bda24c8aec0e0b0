import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { usageLimitIn } from '../../../../sidecar/agents/acp/usageLimits.ts';
import { type AcpAgent, wellKnown } from '../../../../sidecar/agents/acp/wellKnown.ts';
import { readReset, UsageLimitReached } from '../../../../sidecar/agents/usageLimits.ts';
import { resetMs } from '../../../../sidecar/host/turns/limits/parking/resetTime.ts';
import { ResponseError } from '../../../../sidecar/transport/responseError.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const asIs = (text: string) => text;
const custom: AcpAgent = { id: 'own', displayName: 'Own', command: 'own', args: [], env: [] };
const agent = (id: string) => wellKnown.find((it) => it.id === id) ?? custom;

describe('the end of a usage limit', () => {
  for (const [text, reset] of [
    ['Claude AI usage limit reached|1772456400', { atMs: 1_772_456_400_000 }],
    ["You've hit your usage limit. Try again in 3 hours 12 minutes.", { inMs: 3 * HOUR_MS + 12 * MINUTE_MS }],
    ['Your quota will reset after 3h12m5s.', { inMs: 3 * HOUR_MS + 12 * MINUTE_MS + 5_000 }],
    ['Please try again in 20s.', { inMs: 20_000 }],
    ['5-hour limit reached ∙ resets 3pm', { hour: 15, minute: 0 }],
    ["You've hit your limit · resets 12:30am (Europe/Berlin)", { hour: 0, minute: 30, timeZone: 'Europe/Berlin' }],
    ['Weekly limit reached, resets Oct 5, 3pm', { hour: 15, minute: 0, date: { month: 10, day: 5 } }],
    ['Try again at 3:05 PM.', { hour: 15, minute: 5 }],
    ['resets 3pm (soon)', { hour: 15, minute: 0 }],
    ['The limit resets 3', undefined],
    ['Try again at 27:00', undefined],
    ['Usage limit reached.', undefined],
  ] as const)
    it(`is read from: ${text}`, () => assert.deepEqual(readReset(text), reset));

  const now = Date.parse('2026-03-02T10:00:00Z');
  for (const [what, reset, at] of [
    ['a time later today', { hour: 12, minute: 30, timeZone: 'UTC' }, '2026-03-02T12:30:00.000Z'],
    [
      'a time that passed, which is that of tomorrow',
      { hour: 9, minute: 0, timeZone: 'UTC' },
      '2026-03-03T09:00:00.000Z',
    ],
    ['a time in another time zone', { hour: 12, minute: 0, timeZone: 'Europe/Berlin' }, '2026-03-02T11:00:00.000Z'],
    ['a date', { hour: 3, minute: 0, timeZone: 'UTC', date: { month: 3, day: 5 } }, '2026-03-05T03:00:00.000Z'],
    ['a moment that passed, after which it is tried shortly', { atMs: now - 1 }, '2026-03-02T10:00:10.000Z'],
    ['a span that nobody believes', { inMs: 900 * HOUR_MS }, '2026-03-10T10:00:00.000Z'],
  ] as const)
    it(`is ${what}`, () => assert.equal(new Date(resetMs(reset, 0, now)).toISOString(), at));

  it('is guessed if nobody states it, later each time, and at most in 4 hours', () => {
    const waits = [0, 1, 2, 5, 50].map((attempt) => (resetMs(undefined, attempt, now) - now) / MINUTE_MS);
    assert.deepEqual(waits, [15, 30, 60, 240, 240]);
  });
});

describe('an error of an agent', () => {
  it('is a usage limit if its members say so, whichever agent sent it', () => {
    for (const [data, reset] of [
      [{ errorKind: 'rate_limit' }, undefined],
      [{ status: 429, retryAfter: 30 }, { inMs: 30_000 }],
      [{ statusCode: 429 }, undefined],
      [{ resetsAt: 1_772_456_400 }, { atMs: 1_772_456_400_000 }],
      [{ resetsAt: 1_772_456_400_000 }, { atMs: 1_772_456_400_000 }],
      [{ resetsAt: '2026-03-02T13:00:00Z' }, { atMs: 1_772_456_400_000 }],
    ] as const) {
      const limit = usageLimitIn(custom, new ResponseError(-32603, 'Too much', data), undefined, asIs);
      assert.ok(limit instanceof UsageLimitReached, JSON.stringify(data));
      assert.deepEqual(limit.reset, reset);
      assert.equal(limit.message, 'Own reached a usage limit: Too much.');
    }
  });

  it('has the end that the agent reported for its account before', () => {
    const reported = { status: 'rejected', resetsAt: 1_772_456_400 };
    const limit = usageLimitIn(custom, new ResponseError(-32603, 'Failed'), reported, asIs);
    assert.deepEqual(limit?.reset, { atMs: 1_772_456_400_000 });
    const allowed = { status: 'allowed', resetsAt: 1_772_456_400 };
    assert.equal(usageLimitIn(custom, new ResponseError(-32603, 'Failed'), allowed, asIs), undefined);
  });

  for (const [id, text] of [
    ['claude', "You've hit your session limit · resets 3pm"],
    ['claude', 'Claude AI usage limit reached|1772456400'],
    ['codex', "You've hit your usage limit. Try again at 3:05 PM."],
    ['gemini', 'You have exhausted your capacity on this model. Your quota will reset after 3h12m5s.'],
    ['opencode', 'The usage limit has been reached'],
    ['copilot', 'Sorry, you have been rate-limited.'],
    ['qwen', 'Qwen API quota exceeded'],
  ] as const)
    it(`is a usage limit by the words of ${id}: ${text}`, () => {
      assert.ok(usageLimitIn(agent(id), new ResponseError(-32603, text), undefined, asIs));
      assert.equal(usageLimitIn(custom, new ResponseError(-32603, text), undefined, asIs), undefined);
    });

  it('is no usage limit for any other reason', () => {
    for (const it of [new ResponseError(-32603, 'Internal error'), new Error('gone'), 'text', { code: 429 }, undefined])
      for (const known of wellKnown) assert.equal(usageLimitIn(known, it, undefined, asIs), undefined);
  });

  it('is cleaned of secrets and shortened to one line', () => {
    const error = new ResponseError(-32603, 'key-1 is limited\nat line 2', { status: 429 });
    const limit = usageLimitIn(custom, error, undefined, (text) => text.replace('key-1', '***'));
    assert.equal(limit?.message, 'Own reached a usage limit: *** is limited.');
  });
});
