import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { mock } from 'node:test';
import { afterEach, describe, it } from 'mocha';
import type { A2aDeps, A2aOptions } from '../../../../../sidecar/gateway/a2a/a2aDeps.ts';
import type { BackendRequest, BackendResponse } from '../../../../../sidecar/gateway/backends/net/exchange.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { OpenGatewayParams } from '../../../../../sidecar/protocol/gateway/agent.ts';
import { answerOf } from '../../../../support/a2a/frontUnderTest.ts';
import { agent, checkError, json, message, openOneAgent, rpc, rpcError } from '../../../../support/a2a/oneAgent.ts';
import { bodyFrom } from '../../../../support/backends/bodyFrom.ts';

const types = { 'message/send': 'application/json', 'message/stream': 'text/event-stream' } as const;
type Method = keyof typeof types;
const methods = Object.keys(types) as Method[];

/** An agent that says what the test lets it say, and a caller that may leave. */
function open(gateway_params: OpenGatewayParams = {}, options: Partial<A2aOptions> = {}, more: Partial<A2aDeps> = {}) {
  const calls: { readonly request: BackendRequest; readonly signal: AbortSignal; readonly wasGone: boolean }[] = [];
  const answers: ((answer: BackendResponse) => void)[] = [];
  let onCall: () => void = () => undefined;
  const outbound: A2aDeps['outbound'] = () => ({
    send: (request, signal) =>
      new Promise<BackendResponse>((resolve, reject) => {
        calls.push({ request, signal, wasGone: signal.aborted });
        if (signal.aborted) reject(new Error('gone'));
        answers.push(resolve);
        signal.addEventListener('abort', () => reject(new Fault('unavailable', 'given up')));
        onCall();
      }),
  });
  const agents = [
    { agent: { ...agent, gateway_params: { cost_per_query: 2, ...gateway_params } }, url: 'https://a.test' },
  ];
  const found = openOneAgent(undefined, { agents, outbound, options, more });
  const caller = new AbortController();
  const called = new Promise<void>((resolve) => {
    onCall = resolve;
  });
  const call = (method: Method) => {
    const body = rpc(method, { message });
    const { signal } = caller;
    const request = new Request('https://gateway.test/a2a/weather', { method: 'POST', body, headers: json, signal });
    return answerOf(found.front, request);
  };
  const answer = (method: Method, body: Readable) =>
    answers[0]?.({ status: 200, headers: { 'content-type': types[method] }, body: bodyFrom(body) });
  return { ...found, calls, called, caller, call, answer };
}

const silent = () => new Readable({ read: () => undefined });

describe('a call whose caller leaves', () => {
  for (const method of methods) {
    it(`is ended at the agent while that is silent, and paid: ${method}`, async () => {
      const { call, called, caller, calls, records, admitted, logLines } = open();
      const answer = call(method);
      await called;
      assert.equal(calls[0]?.wasGone, false);
      caller.abort();
      await answer;
      assert.deepEqual([calls.length, calls[0]?.signal.aborted, logLines.length], [1, true, 0]);
      const [{ status, error, error_code, spend } = {}] = records;
      assert.deepEqual([status, error, error_code, spend], ['failure', 'the caller disconnected', 'caller_left', 2]);
      assert.deepEqual(admitted, [{ cost: 2, spend: 2 }]);
    });

    it(`costs nothing where it had left before the agent was asked: ${method}`, async () => {
      const admit: A2aDeps['admit'] = () => {
        caller.abort();
        return Promise.resolve({ settle: () => undefined });
      };
      const { call, caller, calls, records } = open({}, {}, { admit });
      await call(method);
      const [{ status, error, spend } = {}] = records;
      assert.deepEqual([status, error, spend], ['failure', 'the caller disconnected', 0]);
      assert.ok(calls.every((it) => it.wasGone));
    });

    it(`is not read on in the middle of its answer: ${method}`, async () => {
      const { call, called, caller, answer, records } = open();
      const answering = call(method);
      await called;
      const body = silent();
      answer(method, body);
      if (method === 'message/stream') {
        const reader = (await answering).body?.getReader();
        const reading = reader?.read();
        await reader?.cancel();
        assert.equal((await reading)?.done, true);
      } else {
        caller.abort();
        body.destroy(new Error('given up'));
        await answering;
      }
      assert.deepEqual(
        [body.destroyed, records.length, records[0]?.error, records[0]?.spend],
        [true, 1, 'the caller disconnected', 2],
      );
    });
  }
});

describe('a stream whose caller leaves', () => {
  it('is ended at the agent', async () => {
    const { call, called, calls, answer } = open();
    const answering = call('message/stream');
    await called;
    answer('message/stream', silent());
    const { body } = await answering;
    assert.equal(calls[0]?.signal.aborted, false);
    await body?.cancel();
    assert.equal(calls[0]?.signal.aborted, true);
  });

  it('is that of a caller who left, also where it breaks before anybody notices, and is no failure of the agent', async () => {
    const { call, called, caller, answer, records, logLines } = open();
    const answering = call('message/stream');
    await called;
    const body = silent();
    answer('message/stream', body);
    const reading = (await answering).text();
    caller.abort();
    body.destroy(new Error('given up'));
    await reading.catch(() => undefined);
    const [{ error, error_code, spend } = {}] = records;
    assert.deepEqual([error, error_code, spend, logLines.length], ['the caller disconnected', 'caller_left', 2, 0]);
  });
});

describe('an agent that takes too long', () => {
  afterEach(() => mock.timers.reset());
  const usual = { timeoutMs: 60_000, streamStartMs: 300_000 };
  const rows: readonly [method: Method, timeout: number | undefined, ms: number][] = [
    ['message/send', undefined, 60_000],
    ['message/stream', undefined, 300_000],
    ['message/send', 7, 7_000],
    ['message/stream', 7, 7_000],
  ];
  for (const [method, timeout, ms] of rows) {
    it(`is given up after ${ms} ms and not before, and costs nothing: ${method}`, async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      const { call, called, calls, records, admitted, logLines } = open({ timeout }, usual);
      const answering = call(method);
      await called;
      mock.timers.tick(ms - 1);
      assert.equal(calls[0]?.signal.aborted, false);
      mock.timers.tick(1);
      const response = await answering;
      const body = (await response.json()) as Readonly<Record<string, unknown>>;
      checkError(body, response.status, rpcError(-32603, 'The A2A agent did not respond in time'));
      assert.deepEqual([response.status, calls[0]?.signal.aborted, logLines.length], [200, true, 1]);
      const [{ error, error_code, spend } = {}] = records;
      assert.deepEqual([error, error_code, spend], ['timed out', 'timeout', 0]);
      assert.deepEqual(admitted, [{ cost: 2, spend: 0 }]);
    });
  }

  it('is waited for without end when its stream has begun', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { call, called, calls, answer } = open({}, usual);
    const answering = call('message/stream');
    await called;
    const body = silent();
    answer('message/stream', body);
    const response = await answering;
    mock.timers.tick(3_000_000);
    assert.equal(calls[0]?.signal.aborted, false);
    await response.body?.cancel();
  });

  it('is asked for a stream alone with the words for one, and as one that lasts', async () => {
    for (const method of methods) {
      const { call, calls } = open({ timeout: 0.001 });
      await call(method);
      const streams = method === 'message/stream';
      const { headers, isLongLived } = calls[0]?.request ?? {};
      assert.equal(headers?.['accept'], streams ? 'text/event-stream, application/json' : 'application/json');
      assert.equal(isLongLived, streams);
    }
  });
});
