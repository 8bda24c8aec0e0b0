import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { StreamSend } from '../../../../../sidecar/gateway/backends/streamSend.ts';
import { type CloudEnd, relayCloudAgents } from '../../../../../sidecar/gateway/cloudagents/relay.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';

type Sent = Parameters<StreamSend>[0];
const limit = 10;

/** One call at a service in this process: what left, in which order, and that it ended once. */
describe('a call that is passed through to the cloud-agents service', () => {
  let steps: string[];
  let ends: CloudEnd[];
  let sent: (Sent & { readonly bytes: string })[];
  let status: number;
  let headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  let chunks: readonly (string | Error)[];
  let fails: { admit?: Error; credential?: Error; send?: Error };
  let caller: AbortController;

  beforeEach(() => {
    [steps, ends, sent, status, headers, chunks, fails] = [[], [], [], 200, {}, ['one', 'two'], {}];
    caller = new AbortController();
  });

  async function* answered() {
    try {
      for (const it of chunks) {
        if (it instanceof Error) throw it;
        yield Buffer.from(it);
      }
    } finally {
      steps.push('body closed');
    }
  }
  /** The same, where it is seen that nobody wants the rest. */
  const body = (): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]() {
      const chunk = answered();
      return {
        next: () => chunk.next(),
        async return() {
          await new Promise(setImmediate);
          steps.push('let go');
          await chunk.return();
          return { done: true, value: undefined };
        },
      };
    },
  });
  const send: StreamSend = async (request) => {
    let bytes = '';
    for await (const it of request.body ?? []) bytes += Buffer.from(it).toString();
    sent.push({ ...request, bytes });
    steps.push('send');
    if (fails.send !== undefined) throw fails.send;
    return { status, headers, body: body() } as Awaited<ReturnType<StreamSend>>;
  };
  const step = async <T>(name: 'admit' | 'credential', value: T): Promise<T> => {
    steps.push(name);
    if (fails[name] !== undefined) throw fails[name];
    return value;
  };
  const relay = (init: RequestInit = {}, path = '/v0/agents', upstreamUrl = 'https://api.example/base') =>
    relayCloudAgents(
      {
        send,
        upstreamUrl,
        prefix: 'cloud',
        credential: () => step('credential', 'service-key'),
        admit: () => step('admit', () => void steps.push('settle')),
        begin: () => ({
          answered: () => void steps.push('answered'),
          finish: (end) => {
            steps.push('finish');
            ends.push(end);
          },
        }),
        maxBodyBytes: limit,
      },
      new Request(`http://gateway.test/cloudagents${path}`, init),
      path.split('?', 1)[0] ?? '',
      { requestId: 'r1', holdsKey: (text) => text.includes('sk-virtual'), signal: caller.signal },
    );

  it('is admitted before its credential is looked up, and is over with the last byte of its answer', async () => {
    const response = await relay({}, '/v0/agents?limit=2');
    assert.deepEqual(steps, ['admit', 'credential', 'send', 'answered']);
    assert.equal(await response.text(), 'onetwo');
    assert.deepEqual(steps.slice(4), ['body closed', 'settle', 'finish']);
    assert.deepEqual(ends, [{ status: 'success', httpStatus: 200, spend: 0 }]);
    assert.equal(sent[0]?.url, 'https://api.example/base/v0/agents?limit=2');
  });

  for (const [method, answer] of [
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 205],
    ['GET', 304],
    ['HEAD', 404],
  ] as const) {
    it(`is over at once where ${method} is answered with ${answer}: there is no body to wait for`, async () => {
      status = answer;
      const response = await relay({ method });
      assert.deepEqual([response.status, response.body], [answer, null]);
      assert.deepEqual(steps.slice(4), ['settle', 'finish', 'let go']);
      const failed = { error: 'The service returned HTTP 404.', error_code: '404' };
      const isFailed = answer === 404;
      const end = { status: isFailed ? 'failure' : 'success', httpStatus: answer, spend: 0 };
      assert.deepEqual(ends, [{ ...end, ...(isFailed && failed) }]);
    });
  }

  const left = { status: 'failure', error: 'The caller disconnected.', error_code: 'caller_left', spend: 0 };
  it('is a failure of the caller who leaves in the middle of the answer, and the service is let go', async () => {
    const response = await relay();
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    assert.deepEqual(ends, [{ ...left, httpStatus: 200 }]);
    assert.deepEqual(steps.slice(-2), ['let go', 'body closed']);
    assert.equal(steps.filter((it) => it === 'settle').length, 1);
  });

  it('is a failure of the caller who leaves before there is an answer', async () => {
    caller.abort();
    fails = { send: new Error('aborted') };
    await assert.rejects(relay(), { code: 'unavailable' });
    assert.deepEqual(ends, [left]);
  });

  it('is a failure of the service where its answer breaks, whatever its status was', async () => {
    for (status of [200, 500]) {
      chunks = ['one', new Error('canary')];
      await assert.rejects((await relay()).text());
      const broke = { error: "The service's response was interrupted.", error_code: 'ended' };
      assert.deepEqual(ends.pop(), { status: 'failure', ...broke, httpStatus: status, spend: 0 });
    }
    assert.equal(ends.length, 0);
  });

  it('has failed from status 400 on, and its answer is handed on', async () => {
    for (const [answer, outcome] of [
      [399, 'success'],
      [400, 'failure'],
    ] as const) {
      status = answer;
      assert.equal(await (await relay()).text(), 'onetwo');
      assert.equal(ends.pop()?.status, outcome);
    }
  });

  const refused = new Fault('rate_limited', 'Too many.');
  const failures: readonly (readonly [
    title: string,
    typeof fails,
    path: string,
    code: string,
    steps: readonly string[],
  ])[] = [
    ['is not admitted', { admit: refused }, '/v0/me', 'rate_limited', ['admit', 'finish']],
    ['has a path that leads elsewhere', {}, '/v0//me', 'invalid_params', ['finish']],
    [
      'has no credential',
      { credential: new Fault('unavailable', 'Away.') },
      '/v0/me',
      'unavailable',
      ['admit', 'credential', 'settle', 'finish'],
    ],
    [
      'reaches nobody',
      { send: new Error('canary') },
      '/v0/me',
      'unavailable',
      ['admit', 'credential', 'send', 'settle', 'finish'],
    ],
    [
      'is sent to a forbidden address',
      { send: new Fault('forbidden', 'No.') },
      '/v0/me',
      'forbidden',
      ['admit', 'credential', 'send', 'settle', 'finish'],
    ],
  ];
  for (const [title, failing, path, code, expected] of failures) {
    it(`that ${title} is recorded once, and what was set aside for it is given back`, async () => {
      fails = failing;
      await assert.rejects(relay({}, path), { code });
      assert.deepEqual(steps, expected);
      assert.deepEqual(
        ends.map((it) => [it.status, it.error_code, it.httpStatus]),
        [['failure', code, undefined]],
      );
      assert.doesNotMatch(JSON.stringify(ends), /canary/);
    });
  }

  it('takes as much as its limit, and one byte more only until it is counted', async () => {
    const post = (body: string, length?: number) =>
      relay({
        method: 'POST',
        body: new Blob([body.slice(0, 5), body.slice(5)]).stream(),
        duplex: 'half',
        ...(length !== undefined && { headers: { 'content-length': `${length}` } }),
      } as RequestInit);
    await (await post('0123456789', 10)).text();
    assert.equal(sent[0]?.bytes, '0123456789');
    const tooLarge = { code: 'too_large', data: { field: 'body', maxBytes: limit } };
    await assert.rejects(post('0123456789X'), tooLarge);
    await assert.rejects(post('0', 11), tooLarge);
    assert.equal(sent.length, 1);
    assert.equal(steps.filter((it) => it === 'settle').length, 3);
  });

  it('takes along what tells nobody who called, and brings back what binds nobody', async () => {
    headers = {
      'x-many': ['a', 'b'],
      'x-one': 'c',
      gone: undefined,
      'Set-Cookie': 'd',
      upgrade: 'e',
      'content-length': '6',
    };
    const response = await relay({
      headers: {
        accept: 'a/b',
        'user-agent': 'sk-virtual',
        'last-event-id': '7',
        'x-forwarded-for': '1.2.3.4',
        cookie: 'x',
      },
    });
    const authorization = `Basic ${Buffer.from('service-key:').toString('base64')}`;
    assert.deepEqual(sent[0]?.headers, { authorization, accept: 'a/b', 'last-event-id': '7' });
    assert.deepEqual(
      [...response.headers],
      [
        ['x-many', 'a, b'],
        ['x-one', 'c'],
      ],
    );
    await response.body?.cancel();
  });
});
