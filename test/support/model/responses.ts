import { type Api, parametersOf, piecesOf, sse, usualUsage } from './api.ts';
import type { Said } from './script.ts';

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly output?: string | readonly { readonly text?: string }[];
  /** Of `additional_tools`. */
  readonly tools?: readonly Tool[];
}
interface Tool {
  readonly type?: string;
  readonly name?: string;
  readonly parameters?: unknown;
  /** Of a namespace. */
  readonly tools?: readonly Tool[];
}

/** Codex offers one tool that runs JavaScript, in which its other tools are functions. */
const SCRIPTS = 'exec';
/** In a sandbox, the host tells Codex to ask before each command. */
const TOLD_TO_ASK = 'your own sandbox cannot start';

/** Requests of the OpenAI responses API. */
export const readResponses: Api['read'] = (body) => {
  const input = body['input'];
  const items: readonly Item[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : (input as readonly Item[]);
  const given = [...((body['tools'] ?? []) as readonly Tool[]), ...items.flatMap((it) => it.tools ?? [])];
  const tools = given.flatMap((it) => it.tools ?? [it]);
  const mustAsk = items.some((it) => it.role === 'developer' && JSON.stringify(it).includes(TOLD_TO_ASK));
  const ofScripts = ['cmd', 'patch', ...(mustAsk ? ['sandbox_permissions', 'justification'] : [])];
  return {
    conversation: items.flatMap((it): Said[] => {
      if (it.type === 'function_call_output' || it.type === 'custom_tool_call_output')
        return [{ role: 'user', texts: [], results: [textOf(it.output)] }];
      if (it.role !== 'user' && it.role !== 'assistant') return [];
      const texts = typeof it.content === 'string' ? [it.content] : (it.content ?? []).map((part) => part.text ?? '');
      return [{ role: it.role, texts, results: [] }];
    }),
    tools: tools.flatMap((it) =>
      it.name ? [{ name: it.name, parameters: it.name === SCRIPTS ? ofScripts : parametersOf(it.parameters) }] : [],
    ),
  };
};

function scriptFor({ patch, ...command }: Readonly<Record<string, unknown>>): string {
  const call =
    patch === undefined ? `exec_command(${JSON.stringify(command)})` : `apply_patch(${JSON.stringify(patch)})`;
  return `text(await tools.${call})`;
}

const textOf = (output: Item['output'] = '') =>
  typeof output === 'string' ? output : output.map((it) => it.text ?? '').join('');

/** Its answers: output items one after the other, then `response.completed`. */
export const responsesStream: Api['write'] = (answer, id, model) => {
  const { calls: made = [], usage: { input, output: written } = usualUsage } = answer;
  const usage = { input_tokens: input, output_tokens: written, total_tokens: input + written };
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: answer.text, annotations: [] }],
  };
  const script = made[0]?.name === SCRIPTS && {
    type: 'custom_tool_call',
    id: `ctc_${id}`,
    call_id: `call_${id}`,
    name: SCRIPTS,
    input: scriptFor(made[0].input),
    status: 'completed',
  };
  const calls = (script ? [] : made).map((it, at) => ({
    type: 'function_call',
    id: `fc_${id}_${at}`,
    call_id: `call_${id}_${at}`,
    name: it.name,
    arguments: JSON.stringify(it.input),
    status: 'completed',
  }));
  const output = [message, ...calls, ...(script ? [script] : [])];
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
    ...calls.flatMap((call, at) => [
      named('response.output_item.added', {
        output_index: at + 1,
        item: { ...call, status: 'in_progress', arguments: '' },
      }),
      named('response.function_call_arguments.done', {
        item_id: call.id,
        output_index: at + 1,
        arguments: call.arguments,
      }),
      named('response.output_item.done', { output_index: at + 1, item: call }),
    ]),
    ...(script
      ? [
          named('response.output_item.added', {
            output_index: 1,
            item: { ...script, status: 'in_progress', input: '' },
          }),
          named('response.output_item.done', { output_index: 1, item: script }),
        ]
      : []),
    named('response.completed', { response }),
  ];
  return { events, whole: response };
};
