import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { SetClock } from '../../../support/backends/setClock.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel, answered, streamed } from '../../../support/models/provider.ts';
import { streams } from '../../../support/models/streams.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { verifies } from '../../../support/verifies.ts';

/** US dollars per token. */
const prices = { input_cost_per_token: 0.001, output_cost_per_token: 0.01, cache_read_input_token_cost: 0.0001 };
const permission = { object_permission: { models: ['all-proxy-models'] } };
const usage = { prompt_tokens: 100, completion_tokens: 10 };

describe('accounting for model calls', () => {
  let stand: Stand;
  before(async () => {
    // A limit per minute begins anew with each minute of the clock.
    stand = await openStand({ defaultAccess: 'none', clock: new SetClock() });
    await addModel(stand, 'priced', 'chat', { ...prices, max_output_tokens: 20 });
    await addModel(stand, 'endless', 'chat', prices);
    await addModel(stand, 'unpriced', 'chat', { max_output_tokens: 20 });
    await addModel(stand, 'reply', 'responses', prices);
    await addModel(stand, 'claude', 'messages', { ...prices, max_output_tokens: 20 });
  });
  after(() => stand.close());
  const call = (key: string, model: string, more: object = {}, path = '/v1/chat/completions') =>
    stand.as(key, path, { method: 'POST', body: JSON.stringify({ model, messages: [], ...more }) });

  it('charges the tokens of the response, with cached tokens at their own price', async () => {
    verifies('gateway.models.priced', 'gateway.models.recorded');
    const key = await stand.addKey(permission);
    stand.backend.answer = streamed(streams.chat.text, 50);
    const answer = await call(key, 'priced', { stream: true });
    await answer.text();
    const line = await stand.recordOf(answer);
    const { input, output, cacheRead } = streams.chat.usage;
    const cost = (input - cacheRead) * 0.001 + cacheRead * 0.0001 + output * 0.01;
    assert.equal(Math.round(line.spend * 1e9), Math.round(cost * 1e9));
    assert.deepEqual([line.prompt_tokens, line.cache_read_input_tokens], [input, cacheRead]);
    assert.deepEqual(line.metadata['prices'], { source: 'model' });
    assert.deepEqual(
      [line.model, line.model_group, line.custom_llm_provider, line.api_base],
      ['gpt-real', 'priced', 'openai', stand.backend.url],
    );
    assert.deepEqual((line.metadata['attempts'] as object[]).length, 1);
    assert.ok(line.completionStartTime);
    const daily = await stand.manage('GET', `/user/daily/activity?start_date=2000-01-01&end_date=2100-01-01`);
    const [day] = daily['results'] as { breakdown: Record<string, Record<string, { metrics: { spend: number } }>> }[];
    for (const [group, name] of [
      ['models', 'gpt-real'],
      ['model_groups', 'priced'],
      ['providers', 'openai'],
    ] as const)
      assert.ok((day?.breakdown[group]?.[name]?.metrics.spend ?? 0) >= line.spend, group);
  });

  const refused: readonly [says: string, model: string, body: object, words: RegExp, path?: string][] = [
    ['whose prices are not known', 'unpriced', {}, /'input_cost_per_token' and 'output_cost_per_token'/],
    ['whose output has no limit', 'endless', {}, /'max_output_tokens' of the model/],
    [
      'that continues an earlier response of unknown length',
      'reply',
      { max_output_tokens: 5, previous_response_id: 'resp_1' },
      /'max_input_tokens' of the model/,
      '/v1/responses',
    ],
  ];
  for (const [says, model, body, words, path] of refused)
    it(`refuses a call ${says} for a key with a budget, and names the setting to change`, async () => {
      verifies('gateway.models.budgets');
      stand.backend.heard.splice(0);
      const key = await stand.addKey({ ...permission, max_budget: 100 });
      const answer = await call(key, model, body, path);
      const { error } = (await answer.json()) as { error: { type: string; message: string; param: string } };
      assert.deepEqual([answer.status, error.type, error.param], [400, 'cost_unknown', 'model']);
      assert.match(error.message, words);
      assert.equal(stand.backend.heard.length, 0);
    });

  it('reserves the maximum cost of a call, and refuses a call that exceeds the budget', async () => {
    verifies('gateway.models.budgets');
    stand.backend.answer = answered({ choices: [], usage });
    const poor = await stand.addKey({ ...permission, max_budget: 0.2 });
    assert.equal((await call(poor, 'priced')).status, 429);
    const rich = await stand.addKey({ ...permission, max_budget: 0.3 });
    const first = await call(rich, 'priced');
    assert.equal(first.status, 200, await first.text());
    assert.equal((await stand.recordOf(first)).spend, 0.2);
    assert.equal((await call(rich, 'priced')).status, 429);
    const choices = await stand.addKey({ ...permission, max_budget: 0.5 });
    assert.equal((await call(choices, 'priced', { n: 3 })).status, 429);
  });

  for (const [says, model, path, text] of [
    ['is interrupted before it counts its tokens', 'priced', '/v1/chat/completions', streams.chat.text.slice(0, 900)],
    ['is interrupted after it counted only its input', 'claude', '/v1/messages', streams.messages.text.slice(0, 1_200)],
  ] as const)
    it(`charges the reserved amount for a stream that ${says}`, async () => {
      verifies('gateway.models.budgets');
      const key = await stand.addKey({ ...permission, max_budget: 100 });
      stand.backend.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(text, () => response.destroy());
      };
      const body = { model, stream: true, messages: [], ...(model === 'claude' && { max_tokens: 20 }) };
      const answer = await call(key, model, body, path);
      await assert.rejects(answer.text());
      const line = await stand.recordOf(answer);
      const bytes = Buffer.byteLength(JSON.stringify(body));
      assert.equal(line.status, 'failure');
      assert.equal(Math.round(line.spend * 1e6), Math.round((bytes * 0.001 + 20 * 0.01) * 1e6));
    });

  it('counts tokens against the limit per minute', async () => {
    verifies('gateway.models.tokens');
    const key = await stand.addKey({ ...permission, tpm_limit: 150 });
    stand.backend.answer = answered({ choices: [], usage });
    for (const status of [200, 200, 429]) {
      const answer = await call(key, 'priced');
      await answer.text();
      assert.equal(answer.status, status);
    }
  });
});

describe('fifty calls with one budget at two replicas', () => {
  it('never exceed the budget', async () => {
    verifies('gateway.models.budgets');
    const database = { kind: 'postgres', url: await postgresDatabase() } as const;
    const stand = await openStand({ defaultAccess: 'none', database });
    try {
      await addModel(stand, 'priced', 'chat', { ...prices, max_output_tokens: 10 });
      const key = await stand.addKey({ ...permission, max_budget: 2 });
      const other = await stand.replica();
      let served = 0;
      stand.backend.answer = (heard, response) => {
        served += 1;
        answered({ choices: [], usage: { prompt_tokens: 30, completion_tokens: 10 } })(heard, response);
      };
      const body = JSON.stringify({ model: 'priced', messages: [] });
      const ask = async (at: Stand) => {
        const answer = await at.as(key, '/v1/chat/completions', { method: 'POST', body });
        await answer.text();
        return answer.status;
      };
      const statuses = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(n % 2 === 0 ? stand : other)));
      assert.ok(
        statuses.every((it) => it === 200 || it === 429),
        statuses.join(),
      );
      // A call costs 13 cents, which is less than the amount reserved for its body and the maximum output.
      assert.equal(served, statuses.filter((it) => it === 200).length);
      assert.ok(served * 0.13 <= 2, `${served} calls were served`);
      assert.ok(served >= 5, `${served} calls were served`);
    } finally {
      await stand.close();
    }
  });
});
