import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'mocha';
import { askModel, ContextOverflow } from '../../../../../sidecar/agents/coder/models/askModel.ts';
import type { LanguageModel, StreamPart } from '../../../../../sidecar/agents/coder/models/languageModel.ts';
import { UsageLimitReached } from '../../../../../sidecar/agents/usageLimits.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';

const finish = {
  type: 'finish',
  usage: { inputTokens: { total: 7 }, outputTokens: { total: 2 } },
  finishReason: { unified: 'stop', raw: 'stop' },
} as StreamPart;
const text = (delta: string): StreamPart[] => [
  { type: 'text-start', id: 'a' },
  { type: 'text-delta', id: 'a', delta },
  { type: 'text-end', id: 'a' },
];

/** Calls a model that answers each call with a stream or an error. */
async function ask(answers: readonly (readonly StreamPart[] | Error)[]) {
  const waits: number[] = [];
  const notices: [string, boolean][] = [];
  const said: string[] = [];
  let calls = 0;
  const doStream = async () => {
    const answer = answers[calls] ?? assert.fail('called too often');
    calls += 1;
    if (answer instanceof Error) throw answer;
    return { stream: Readable.toWeb(Readable.from(answer)) };
  };
  const outcome = await askModel({
    model: { doStream } as unknown as LanguageModel,
    options: { prompt: [] },
    timers: { wait: async (ms) => void waits.push(ms) },
    signal: new AbortController().signal,
    onText: (attempt) => (_kind, _part, piece) => said.push(`${attempt}${piece}`),
    onRetry: (reason, hasBegun) => notices.push([reason, hasBegun]),
    onAnswer: () => undefined,
  }).catch((thrown: unknown) => thrown);
  return { outcome, waits, notices, said, calls };
}
const failure = (more: object) => Object.assign(new Error('no.'), more);

describe('a call to a model', () => {
  it('is repeated after pauses that double if the failure is temporary', async () => {
    const overloaded = failure({ statusCode: 529, isRetryable: true });
    const { waits, said } = await ask([overloaded, overloaded, [...text('yes'), finish]]);
    assert.deepEqual([waits, said], [[1_000, 2_000], ['2yes']]);
  });

  it('is repeated after the pause that the provider asks for', async () => {
    const limited = failure({ statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after': '7' } });
    assert.deepEqual((await ask([limited, [finish]])).waits, [7_000]);
  });

  it('is not repeated if the provider asks for a longer pause than a turn should wait', async () => {
    const limited = failure({ statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after': '3600' } });
    const { outcome, calls } = await ask([limited]);
    assert.ok(outcome instanceof UsageLimitReached);
    assert.deepEqual([outcome.reset, calls], [{ inMs: 3_600_000 }, 1]);
  });

  it('is repeated if the response ends early, with a notice that the response was interrupted', async () => {
    const { notices, said } = await ask([text('ha'), [...text('whole'), finish]]);
    assert.deepEqual([notices.map(([, hasBegun]) => hasBegun), said], [[true], ['0ha', '1whole']]);
  });

  it('fails after six attempts, with the message of the provider and what to do', async () => {
    const { outcome, calls } = await ask(
      Array.from({ length: 6 }, () => failure({ statusCode: 500, isRetryable: true })),
    );
    assert.ok(outcome instanceof Fault);
    assert.deepEqual(
      [outcome.code, outcome.message, calls],
      ['unavailable', 'The model did not answer: no. Send the message again, or choose another model.', 6],
    );
  });

  for (const [what, error, check] of [
    ['that the key does not allow', { statusCode: 401, isRetryable: false }, /rejected the call: no\. Check the key/],
    ['that is not valid', { statusCode: 400, isRetryable: false }, /did not answer: no\./],
  ] as const)
    it(`is not repeated if it is a call ${what}`, async () => {
      const { outcome, calls } = await ask([failure(error)]);
      assert.equal(calls, 1);
      assert.match((outcome as Fault).message, check);
    });

  it('never shows the text of an exception, which can contain addresses', async () => {
    const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:4000'), { isRetryable: true });
    const { outcome, notices } = await ask(Array.from({ length: 6 }, refused));
    const unreachable = 'The gateway could not be reached.';
    assert.deepEqual([...new Set(notices.map(([reason]) => reason))], [unreachable]);
    assert.match((outcome as Fault).message, new RegExp(`^The model did not answer: ${unreachable} `));
  });

  it('fails with `budget_stopped` if the turn was stopped at a budget', async () => {
    const responseBody = '{"error":{"message":"Stopped.","code":"budget_exceeded"}}';
    const { outcome } = await ask([failure({ statusCode: 400, isRetryable: false, responseBody })]);
    assert.equal((outcome as Fault).code, 'budget_stopped');
  });

  for (const message of [
    'prompt is too long: 210000 tokens > 200000 maximum',
    "This model's maximum context length is 8192 tokens",
    'Input is too long for requested model',
    'The input token count exceeds the maximum number of tokens allowed',
  ])
    it(`is recognized as too long by "${message}"`, async () =>
      assert.ok(
        (await ask([Object.assign(new Error(message), { statusCode: 400 })])).outcome instanceof ContextOverflow,
      ));
});
