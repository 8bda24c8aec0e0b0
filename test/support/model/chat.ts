import { type Api, parametersOf, piecesOf, sse, usualUsage } from './api.ts';
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
  const { calls: made = [], usage: { input, output } = usualUsage } = answer;
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const calls = made.map((it, at) => ({
    id: `call_${id}_${at}`,
    type: 'function',
    function: { name: it.name, arguments: JSON.stringify(it.input) },
  }));
  const finish = calls.length > 0 ? 'tool_calls' : 'stop';
  const chunk = (delta: object, finishReason: string | null = null) =>
    sse({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finishReason }] });
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(answer.text).map((content) => chunk({ content })),
    ...calls.map((it, index) => chunk({ tool_calls: [{ index, ...it }] })),
    chunk({}, finish),
    sse({ ...base, object: 'chat.completion.chunk', choices: [], usage }),
    sse('[DONE]'),
  ];
  const message = { role: 'assistant', content: answer.text, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    events,
    whole: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage },
  };
};

function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((it) => it.text ?? '').join('\n');
}
