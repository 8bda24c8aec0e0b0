import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type ModelServer, startModel } from '../../../../support/model/server.ts';

const schema = { type: 'object', properties: { command: { type: 'string' } } };
const prompt = 'shell ls';

describe('the model on this machine', () => {
  let model: ModelServer;
  before(async () => {
    model = await startModel();
  });
  after(() => model.close());
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${model.url}${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', ...body }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  for (const { api, path, body, whole, streamed } of [
    {
      api: 'Anthropic messages',
      path: '/v1/messages',
      body: { messages: [{ role: 'user', content: prompt }], tools: [{ name: 'Bash', input_schema: schema }] },
      whole: /"type":"tool_use","id":"toolu_\S+","name":"Bash","input":\{"command":"ls"\}/,
      streamed: /event: message_start\n[\s\S]*input_json_delta[\s\S]*event: message_stop\n/,
    },
    {
      api: 'OpenAI chat completions',
      path: '/v1/chat/completions',
      body: {
        messages: [{ role: 'user', content: prompt }],
        tools: [{ type: 'function', function: { name: 'bash', parameters: schema } }],
      },
      whole: /"tool_calls":\[\{[^\]]*"name":"bash","arguments":"\{\\"command\\":\\"ls\\"\}"/,
      streamed: /"finish_reason":"tool_calls"[\s\S]*data: \[DONE\]\n/,
    },
    {
      api: 'OpenAI responses',
      path: '/v1/responses',
      body: { input: prompt, tools: [{ type: 'function', name: 'shell', parameters: schema }] },
      whole: /"type":"function_call"[^}]*"name":"shell","arguments":"\{\\"command\\":\\"ls\\"\}/,
      streamed: /event: response.created\n[\s\S]*function_call_arguments.done[\s\S]*event: response.completed\n/,
    },
  ]) {
    it(`calls the tool of the prompt over ${api}, whole and as a stream`, async () => {
      assert.match((await post(path, body)).text, whole);
      assert.match((await post(path, { ...body, stream: true })).text, streamed);
    });
  }
  it('closes with what the tool said, and echoes what a person says after it', async () => {
    const first = [
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'I shell. ' },
      { role: 'tool', content: 'a b' },
    ];
    assert.match((await post('/v1/chat/completions', { messages: first })).text, /Done\. It said: a b/);
    const more = [...first, { role: 'user', content: 'not like this' }];
    assert.match((await post('/v1/chat/completions', { messages: more })).text, /You said: not like this/);
  });
  it('refuses nonsense and other endpoints', async () => {
    assert.equal((await post('/v1/messages', {})).status, 400);
    assert.equal((await post('/v1/other', {})).status, 404);
  });
});
