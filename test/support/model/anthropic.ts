import { type Api, exampleOf, parametersOf, piecesOf, type Schema, sse, usualUsage } from './api.ts';
import type { Said } from './script.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

/** Requests of the Anthropic messages API. */
export const readAnthropic: Api['read'] = (body) => {
  const messages = body['messages'] as readonly { role: string; content: string | readonly Block[] }[];
  const tools = (body['tools'] ?? []) as readonly { name: string; input_schema?: unknown }[];
  const { format } = (body['output_config'] ?? {}) as { format?: { schema?: Schema } };
  return {
    ...(format?.schema && { wanted: JSON.stringify(exampleOf(format.schema)) }),
    conversation: messages
      .filter((it) => it.role !== 'system')
      .map(({ role, content }): Said => {
        const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
        return {
          role: role === 'assistant' ? 'assistant' : 'user',
          texts: blocks.flatMap((it) => (it.type === 'text' ? [it.text ?? ''] : [])),
          results: blocks.flatMap((it) => (it.type === 'tool_result' ? [textOf(it.content)] : [])),
        };
      }),
    tools: tools.map((it) => ({ name: it.name, parameters: parametersOf(it.input_schema) })),
  };
};

/** Its answers: `message_start`, a block for the text and one for the tool, `message_stop`. */
export const anthropicStream: Api['write'] = (answer, id, model) => {
  const { calls = [], usage: { input, output } = usualUsage } = answer;
  const usage = { input_tokens: input, output_tokens: output };
  const stopReason = calls.length > 0 ? 'tool_use' : 'end_turn';
  const message = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const tools = calls.map((it, at) => ({ type: 'tool_use', id: `toolu_${id}_${at}`, name: it.name, input: it.input }));
  const named = (data: { type: string } & Record<string, unknown>) => sse(data, data.type);
  const events = [
    named({ type: 'message_start', message: { ...message, content: [] } }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...piecesOf(answer.text).map((text) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    named({ type: 'content_block_stop', index: 0 }),
    ...tools.flatMap(({ input: whole, ...tool }, at) => [
      named({ type: 'content_block_start', index: at + 1, content_block: { ...tool, input: {} } }),
      named({
        type: 'content_block_delta',
        index: at + 1,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(whole) },
      }),
      named({ type: 'content_block_stop', index: at + 1 }),
    ]),
    named({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: output },
    }),
    named({ type: 'message_stop' }),
  ];
  const content = [{ type: 'text', text: answer.text }, ...tools];
  return { events, whole: { ...message, content, stop_reason: stopReason } };
};

function textOf(content: Block['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((it) => it.text ?? '').join('\n');
}
