import * as z from 'zod';
import type { DelegatedReport } from '../../delegation.ts';
import { type CoderTool, type ToolOutcome, tool } from './tool.ts';

/** @param model the sub-agents use the same one */
export const delegateWith = (model: string): CoderTool =>
  tool({
    name: 'delegate',
    kind: 'think',
    description:
      'Gives a task to a sub-agent with an empty context and the same tools, and returns its report. Use it to search widely, or for independent parts of the work. Several can work at the same time.',
    isReading: true, // the sub-agent gets only tools that this agent has
    input: z.object({
      title: z.string().min(1).describe('A few words for the user'),
      task: z.string().min(1).describe('Everything that the sub-agent must know, and what to report'),
    }),
    async run({ title, task }, { confirm, host, toolCallId }) {
      await confirm({
        kind: 'think',
        invocationMessage: `Delegate: ${title}`,
        toolInput: task,
        paths: [],
        startsSubAgent: true,
      });
      const report = await host.delegate({ toolCallId, title, text: task, model });
      return { ...outcomeOf(report), past: `Delegated: ${title}` };
    },
  });

function outcomeOf({ outcome, text, error }: DelegatedReport): Pick<ToolOutcome, 'text' | 'hasFailed'> {
  if (outcome === 'complete') return { text: text === '' ? '(the sub-agent returned no report)' : text };
  const why =
    outcome === 'stopped'
      ? 'The user stopped the sub-agent.'
      : `The sub-agent failed: ${error ?? 'no reason is known.'}`;
  return { text: text === '' ? why : `${why}\nIts last message:\n${text}`, hasFailed: true };
}
