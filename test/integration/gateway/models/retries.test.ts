import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel, answered, streamed } from '../../../support/models/provider.ts';
import { streams } from '../../../support/models/streams.ts';
import { verifies } from '../../../support/verifies.ts';

type Behaviour = (heard: Heard, response: ServerResponse) => void;
const usage = { prompt_tokens: 1, completion_tokens: 1 };
const fine = answered({ choices: [], usage });
const status = (code: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  answered({ error: { message: 'busy', type: 'x' } }, code, { 'retry-after': '0', ...headers });
const cut: Behaviour = (_, response) => void response.destroy();

describe('a model with several backends', () => {
  verifies('gateway.models.retried');
  let stand: Stand;
  let key: string;
  let ids: string[] = [];
  before(async () => {
    // A limit per minute begins anew with each minute of the clock.
    stand = await openStand({ defaultAccess: 'all', clock: new SetClock() });
    key = await stand.addKey();
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));
  afterEach(async () => {
    for (const model_id of ids) await stand.manage('POST', '/model/delete', { model_id });
    ids = [];
  });

  const backends = async (...weights: readonly number[]) => {
    for (const [n, weight] of weights.entries())
      ids.push(
        await addModel(stand, 'shared', 'chat', {
          api_base: `${stand.backend.url}/b${n}`,
          weight,
          max_output_tokens: 5,
        }),
      );
  };
  const ask = (body: object = {}) =>
    stand.as(key, '/v1/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'shared', ...body }) });
  const heardAt = () => stand.backend.heard.map((it) => it.path.slice(1, 3));
  const attemptsOf = async (answer: Response) => {
    const { metadata } = await stand.recordOf(answer);
    return (metadata['attempts'] as { status?: number; error?: string }[]).map((it) => it.status ?? it.error);
  };

  for (const [says, bad, told] of [
    ['is busy', status(429), 429],
    ['fails', status(503), 503],
    ['is overloaded', status(529), 529],
    ['cuts the connection', cut, 'The provider could not be reached.'],
  ] as const)
    it(`is answered by the other backend if one ${says}, and both attempts are recorded`, async () => {
      await backends(1_000_000, 0.000_001);
      stand.backend.answer = (heard, response) => (heard.path.startsWith('/b0') ? bad : fine)(heard, response);
      const answer = await ask();
      assert.equal(answer.status, 200, await answer.text());
      assert.deepEqual(heardAt(), ['b0', 'b1']);
      assert.deepEqual(await attemptsOf(answer), [told, 200]);
      // The failed backend cools down, so the next call avoids it regardless of its weight.
      await (await ask()).text();
      assert.deepEqual(heardAt(), ['b0', 'b1', 'b1']);
    });

  it('is tried three times if it has one backend, and the last response is returned', async () => {
    await backends(1);
    let count = 0;
    stand.backend.answer = (heard, response) => status(500 + (count += 1))(heard, response);
    const answer = await ask();
    assert.deepEqual([answer.status, count], [503, 3]);
    assert.deepEqual(await answer.json(), { error: { message: 'busy', type: 'x' } });
    assert.deepEqual(await attemptsOf(answer), [501, 502, 503]);
  });

  it('is not tried again if the provider asks for a long wait', async () => {
    await backends(1);
    stand.backend.answer = status(429, { 'retry-after': '60' });
    const answer = await ask();
    assert.deepEqual([answer.status, answer.headers.get('retry-after'), heardAt().length], [429, '60', 1]);
  });

  for (const code of [400, 404, 422])
    it(`is not tried again after ${code}, which is returned`, async () => {
      await backends(1, 1);
      stand.backend.answer = status(code);
      const answer = await ask();
      assert.deepEqual([answer.status, heardAt().length], [code, 1]);
    });

  it('is not tried again after a response has begun', async () => {
    await backends(1, 1);
    stand.backend.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(streams.chat.text.slice(0, 300), () => response.destroy());
    };
    const answer = await ask({ stream: true });
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
    assert.equal(heardAt().length, 1);
    assert.deepEqual((await stand.recordOf(answer)).error_code, 'ended');
  });

  it("that refuses the gateway's credential is unavailable to callers, and their own key is not blamed", async () => {
    await backends(1);
    stand.backend.answer = answered({ error: { message: 'Incorrect API key provided: provider-key' } }, 401);
    const answer = await ask();
    const text = await answer.text();
    assert.equal(answer.status, 503);
    assert.match(text, /refused the gateway's credential/);
    assert.ok(!text.includes('provider-key'));
  });

  it('shares its calls by weight', async () => {
    await backends(3, 1);
    stand.backend.answer = fine;
    for (let n = 0; n < 200; n += 1) await (await ask()).text();
    const first = heardAt().filter((it) => it === 'b0').length;
    assert.ok(first > 115 && first < 185, `${first} of 200`);
  });

  it('stays within the limits of its backends, and an error explains when all have reached them', async () => {
    ids.push(await addModel(stand, 'shared', 'chat', { rpm: 1 }));
    stand.backend.answer = fine;
    assert.equal((await ask()).status, 200);
    const answer = await ask();
    assert.equal(answer.status, 429);
    assert.match(await answer.text(), /reached their limits for this minute/);
  });

  it('cancels the request when its caller disconnects', async () => {
    await backends(1);
    const { promise: cancelled, resolve } = Promise.withResolvers<true>();
    stand.backend.answer = (_, response) => {
      response.on('close', () => resolve(true));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(streams.chat.text.slice(0, 300));
    };
    const leaving = new AbortController();
    const body = JSON.stringify({ model: 'shared', stream: true });
    const answer = await stand.as(key, '/v1/chat/completions', { method: 'POST', body, signal: leaving.signal });
    leaving.abort();
    assert.equal(await cancelled, true);
    assert.equal((await stand.recordOf(answer)).error_code, 'caller_left');
  });

  it('streams a long response to its end', async () => {
    await backends(1);
    const text = streams.chat.text.repeat(1_000);
    stand.backend.answer = streamed(text, 100_000);
    const answer = await ask({ stream: true, stream_options: { include_usage: true } });
    let size = 0;
    for await (const chunk of answer.body ?? []) size += chunk.byteLength;
    assert.equal(size, Buffer.byteLength(text));
  });
});
