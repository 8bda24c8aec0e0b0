import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { type ModelDialect, modelDialects } from '../../../../sidecar/protocol/gateway/modelProviders/definition.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel, answered, providerKey, streamed } from '../../../support/models/provider.ts';
import { chatUsageEvent, streams } from '../../../support/models/streams.ts';
import { verifies } from '../../../support/verifies.ts';

const pieces = [1, 7, 64, 1_000, Number.POSITIVE_INFINITY] as const;

describe('a model behind the gateway', () => {
  verifies('gateway.models.relayed', 'gateway.models.tokens');
  let stand: Stand;
  let key: string;

  before(async () => {
    stand = await openStand({ defaultAccess: 'none' });
    for (const dialect of modelDialects) await addModel(stand, `m-${dialect}`, dialect);
    key = await stand.addKey({ object_permission: { models: ['all-proxy-models'] } });
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  const post = (path: string, body: string | object, headers: Record<string, string> = {}) =>
    fetch(`${stand.base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const ask = (dialect: ModelDialect, more: object = {}) => {
    const { path, request } = streams[dialect];
    const inBody = dialect === 'gemini' ? {} : { model: `m-${dialect}` };
    return post(path.replace('{model}', `m-${dialect}`), { ...inBody, ...request, ...more });
  };
  for (const dialect of modelDialects)
    for (const size of pieces)
      it(`streams ${dialect} byte for byte if the provider sends ${size} bytes at a time`, async () => {
        const { text } = streams[dialect];
        stand.backend.answer = streamed(text, size);
        const answer = await ask(dialect, dialect === 'chat' ? { stream_options: { include_usage: true } } : {});
        assert.equal(answer.status, 200, await answer.clone().text());
        assert.equal(await answer.text(), text);
      });

  for (const dialect of modelDialects)
    it(`records the tokens that a ${dialect} stream counts`, async () => {
      const { text, usage } = streams[dialect];
      stand.backend.answer = streamed(text, 100);
      const answer = await ask(dialect);
      await answer.text();
      const line = await stand.recordOf(answer);
      assert.deepEqual(
        [line.status, line.prompt_tokens, line.completion_tokens],
        ['success', usage.input, usage.output],
      );
    });

  for (const size of pieces)
    it(`removes from a chat only the usage that the gateway asked for if ${size} bytes arrive at a time`, async () => {
      stand.backend.answer = streamed(streams.chat.text, size);
      const answer = await ask('chat');
      assert.equal(await answer.text(), streams.chat.text.replace(chatUsageEvent, ''));
      const sent = JSON.parse(stand.backend.heard.at(-1)?.body.toString() ?? '{}');
      assert.deepEqual(sent.stream_options, { include_usage: true });
    });

  it("receives the body unchanged except for the model name, with the provider's key", async () => {
    stand.backend.answer = answered({ id: 'x', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } });
    const body =
      ' {"messages" : [ {"role":"user","content":"\\u00fc \\/ 1.0"} ],\n"temperature": 1.0, "model":\t"m-chat" } ';
    const answer = await post('/chat/completions', body, { 'openai-beta': 'a', 'openai-organization': 'other' });
    assert.equal(answer.status, 200);
    const heard = stand.backend.heard.at(-1);
    assert.equal(heard?.body.toString(), body.replace('"m-chat"', '"gpt-real"'));
    assert.equal(heard?.path, '/openai/v1/chat/completions');
    assert.equal(heard?.headers.authorization, `Bearer ${providerKey}`);
    assert.equal(heard?.headers['openai-beta'], 'a');
    assert.equal(heard?.headers['openai-organization'], undefined);
    assert.equal(heard?.headers['accept-encoding'], 'identity');
    assert.ok(!JSON.stringify(heard).includes(key));
  });
});
