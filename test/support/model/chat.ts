import { type Api, parametersOf, piecesOf, sse } from './api.ts';
import type { Said } from './script.ts';

type Content = string | null | readonly { readonly type: string; readonly text?: string }[];

/** Requests of the OpenAI chat completions API. */
export const readChat: Api['read'] = (body) => {
  const messages = body['messages'] as readonly { role: string; content: Content }[];
  const tools = (body['tools'] ?? []) as readonly { function: { name: string; parameters?: unknown } }[];
  return {
    conversation: messages
      .filter((it) => it.role !== 'system' && it.role !== 'developer')
      .map(
        ({ role, content }): Said => ({
          role: role === 'assistant' ? 'assistant' : 'user',
          texts: role === 'tool' ? [] : [textOf(content)],
          results: role === 'tool' ? [textOf(content)] : [],
        }),
      ),
    tools: tools.map((it) => ({ name: it.function.name, parameters: parametersOf(it.function.parameters) })),
  };
};

/** Its answers, as chunks that end with `[DONE]`. */
export const chatStream: Api['write'] = (answer, id, model) => {
  const base = { id: `chatcmpl-${id}`, created: 0, model };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const call = answer.call && {
    id: `call_${id}`,
    type: 'function',
    function: { name: answer.call.name, arguments: JSON.stringify(answer.call.input) },
  };
  const finish = call ? 'tool_calls' : 'stop';
  const chunk = (delta: object, finishReason: string | null = null) =>
    sse({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finishReason }] });
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(answer.text).map((content) => chunk({ content })),
    ...(call ? [chunk({ tool_calls: [{ index: 0, ...call }] })] : []),
    chunk({}, finish),
    sse({ ...base, object: 'chat.completion.chunk', choices: [], usage }),
    sse('[DONE]'),
  ];
  const message = { role: 'assistant', content: answer.text, ...(call && { tool_calls: [call] }) };
  return {
    events,
    whole: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage },
  };
};

function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((it) => it.text ?? '').join('\n');
}
