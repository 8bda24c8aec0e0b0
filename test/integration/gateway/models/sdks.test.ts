import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { modelDialects } from '../../../../sidecar/protocol/gateway/modelProviders/definition.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel, answered, streamed } from '../../../support/models/provider.ts';
import { modelSdks, type Sdks } from '../../../support/models/sdks.ts';
import { streams, words } from '../../../support/models/streams.ts';
import { verifies } from '../../../support/verifies.ts';

const text = words.join('');
const messages = [{ role: 'user', content: 'Hi' }];

describe('the SDKs of providers, unmodified, in front of the gateway', () => {
  verifies('gateway.models.sdks');
  let stand: Stand;
  let sdks: Sdks;
  let key: string;
  before(async () => {
    sdks = await modelSdks();
    stand = await openStand({ defaultAccess: 'none' });
    for (const dialect of modelDialects) await addModel(stand, `m-${dialect}`, dialect);
    key = await stand.addKey({ object_permission: { models: modelDialects.map((it) => `m-${it}`) } });
  });
  after(() => stand.close());

  const openai = (apiKey = key) => new sdks.OpenAI({ apiKey, baseURL: `${stand.base}/v1`, maxRetries: 0 });
  const anthropic = (apiKey = key) => new sdks.Anthropic({ apiKey, baseURL: stand.base, maxRetries: 0 });
  const google = () => new sdks.GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: stand.base } });

  describe('of OpenAI', () => {
    it('streams a chat, with usage only if it asks for usage', async () => {
      for (const asks of [true, false]) {
        stand.backend.answer = streamed(streams.chat.text, 33);
        const more = asks ? { stream_options: { include_usage: true } } : {};
        const stream = await openai().chat.completions.create({ model: 'm-chat', messages, stream: true, ...more });
        let said = '';
        let usages = 0;
        for await (const chunk of stream) {
          const { choices, usage } = chunk as { choices: { delta: { content?: string } }[]; usage?: object | null };
          said += choices[0]?.delta.content ?? '';
          if (usage) usages += 1;
        }
        assert.deepEqual([said, usages], [text, asks ? 1 : 0]);
      }
    });

    it('streams a response', async () => {
      stand.backend.answer = streamed(streams.responses.text, 500);
      const stream = await openai().responses.create({ model: 'm-responses', input: 'Hi', stream: true });
      let said = '';
      for await (const it of stream) if (it['type'] === 'response.output_text.delta') said += String(it['delta']);
      assert.equal(said, text);
    });

    it('lists the models, and raises its own errors', async () => {
      const { data } = await openai().models.list();
      assert.deepEqual(data.map((it) => it.id).sort(), modelDialects.map((it) => `m-${it}`).sort());
      const ask = (model: string) => openai().chat.completions.create({ model, messages });
      await assert.rejects(ask('other'), sdks.OpenAI.PermissionDeniedError);
      await assert.rejects(ask('m-messages'), sdks.OpenAI.BadRequestError);
      await assert.rejects(
        openai('sk-wrong').chat.completions.create({ model: 'm-chat', messages }),
        sdks.OpenAI.AuthenticationError,
      );
    });
  });

  describe('of Anthropic', () => {
    it('streams a message, counts tokens, and lists the models', async () => {
      stand.backend.answer = streamed(streams.messages.text, 100);
      const stream = await anthropic().messages.create({ model: 'm-messages', max_tokens: 9, messages, stream: true });
      let said = '';
      for await (const it of stream) {
        const { delta } = it as { delta?: { text?: string } };
        said += delta?.text ?? '';
      }
      assert.equal(said, text);
      stand.backend.answer = answered({ input_tokens: 14 });
      const { input_tokens } = await anthropic().messages.countTokens({ model: 'm-messages', messages });
      assert.equal(input_tokens, 14);
      assert.equal(stand.backend.heard.at(-1)?.path, '/anthropic/v1/messages/count_tokens');
      assert.equal((await anthropic().models.list()).data.length, modelDialects.length);
    });

    it('raises its own errors', async () => {
      const ask = (apiKey: string, model: string) =>
        anthropic(apiKey).messages.create({ model, max_tokens: 9, messages });
      await assert.rejects(ask(key, 'other'), sdks.Anthropic.PermissionDeniedError);
      await assert.rejects(ask('sk-wrong', 'm-messages'), sdks.Anthropic.AuthenticationError);
    });
  });

  describe('of Google', () => {
    it('streams content, counts tokens, and raises its own errors', async () => {
      stand.backend.answer = streamed(streams.gemini.text, 100);
      const asked = { model: 'm-gemini', contents: 'Hi' };
      let said = '';
      for await (const it of await google().models.generateContentStream(asked)) said += it.text;
      assert.equal(said, `${text}.`);
      assert.equal(stand.backend.heard.at(-1)?.path, '/gemini/v1/models/gemini-real:streamGenerateContent?alt=sse');
      stand.backend.answer = answered({ totalTokens: 3 });
      assert.equal((await google().models.countTokens(asked)).totalTokens, 3);
      const refused = google().models.generateContent({ ...asked, model: 'other' });
      await assert.rejects(refused, (thrown) => thrown instanceof sdks.ApiError && thrown.status === 403);
    });
  });
});
