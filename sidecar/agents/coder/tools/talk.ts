import * as z from 'zod';
import type { Question } from '../../provider.ts';
import { tool } from './tool.ts';

const choice = z.object({ label: z.string().min(1), description: z.string().exactOptional() });

export const ask = tool({
  name: 'ask',
  kind: 'other',
  description:
    'Asks the user a question. Use it only if the answer changes what you do and you cannot find it yourself.',
  isReading: true,
  isSilent: true,
  input: z.object({
    question: z.string().min(1),
    options: z
      .array(choice)
      .max(10)
      .exactOptional()
      .describe('Answers to choose from. The user can also write another one'),
  }),
  async run({ question: message, options = [] }, { host, toolCallId }) {
    const question: Question =
      options.length === 0
        ? { kind: 'text', id: 'answer', message, required: true }
        : {
            kind: 'single-select',
            id: 'answer',
            message,
            required: true,
            allowFreeformInput: true,
            options: options.map((it) => ({ ...it, id: it.label })),
          };
    const { response, values } = await host.ask({ id: toolCallId, questions: [question] });
    const { answer } = values;
    if (response === 'accept' && answer !== undefined)
      return { text: `The user answered: ${String(answer)}`, past: 'Asked' };
    return {
      text: 'The user did not answer. Continue without the answer, or end your turn.',
      past: 'Asked',
      hasFailed: true,
    };
  },
});

export const todo = tool({
  name: 'todo',
  kind: 'think',
  description: 'Shows the user a to-do list. Send the whole list each time. Use it for work of three or more steps.',
  isReading: true,
  isSilent: true,
  input: z.object({
    items: z
      .array(z.object({ text: z.string().min(1), state: z.enum(['open', 'doing', 'done']) }))
      .min(1)
      .max(50),
  }),
  async run({ items }, { emit }) {
    const markdown = items.map((it) => `- [${it.state === 'done' ? 'x' : ' '}] ${it.text}`).join('\n');
    emit({ kind: 'notice', markdown, plan: items });
    return { text: 'The list is shown.', past: 'Updated the to-do list' };
  },
});
