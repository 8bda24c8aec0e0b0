import { type Api, parametersOf, piecesOf, sse } from './api.ts';
import type { Said } from './script.ts';

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly output?: string;
}

/** Requests of the OpenAI responses API. */
export const readResponses: Api['read'] = (body) => {
  const input = body['input'];
  const items: readonly Item[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : (input as readonly Item[]);
  const tools = (body['tools'] ?? []) as readonly { name?: string; parameters?: unknown }[];
  return {
    conversation: items.flatMap((it): Said[] => {
      if (it.type === 'function_call_output') return [{ role: 'user', texts: [], results: [it.output ?? ''] }];
      if (it.role !== 'user' && it.role !== 'assistant') return [];
      const texts = typeof it.content === 'string' ? [it.content] : (it.content ?? []).map((part) => part.text ?? '');
      return [{ role: it.role, texts, results: [] }];
    }),
    tools: tools.flatMap((it) => (it.name ? [{ name: it.name, parameters: parametersOf(it.parameters) }] : [])),
  };
};

/** Its answers: output items one after the other, then `response.completed`. */
export const responsesStream: Api['write'] = (answer, id, model) => {
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: answer.text, annotations: [] }],
  };
  const call = answer.call && {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: answer.call.name,
    arguments: JSON.stringify(answer.call.input),
    status: 'completed',
  };
  const output = [message, ...(call ? [call] : [])];
  const response = { id: `resp_${id}`, object: 'response', created_at: 0, model, status: 'completed', output, usage };
  let sequence = 0;
  const named = (type: string, data: object) => sse({ type, sequence_number: sequence++, ...data }, type);
  const place = { item_id: message.id, output_index: 0, content_index: 0 };
  const events = [
    named('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    named('response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } }),
    ...piecesOf(answer.text).map((delta) => named('response.output_text.delta', { ...place, delta })),
    named('response.output_text.done', { ...place, text: answer.text }),
    named('response.output_item.done', { output_index: 0, item: message }),
    ...(call
      ? [
          named('response.output_item.added', {
            output_index: 1,
            item: { ...call, status: 'in_progress', arguments: '' },
          }),
          named('response.function_call_arguments.done', {
            item_id: call.id,
            output_index: 1,
            arguments: call.arguments,
          }),
          named('response.output_item.done', { output_index: 1, item: call }),
        ]
      : []),
    named('response.completed', { response }),
  ];
  return { events, whole: response };
};
