import * as z from 'zod';
import { type CoderTool, tool } from './tool.ts';

/** Runs a task in a separate conversation. @returns the last message of the sub-agent */
export type PlayTask = (task: string, toolCallId: string) => Promise<string>;

export const delegateWith = (play: PlayTask): CoderTool =>
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
    async run({ title, task }, { confirm, toolCallId }) {
      await confirm({
        kind: 'think',
        invocationMessage: `Delegate: ${title}`,
        toolInput: task,
        paths: [],
        startsSubAgent: true,
      });
      const report = await play(task, toolCallId);
      return { text: report === '' ? '(the sub-agent returned no report)' : report, past: `Delegated: ${title}` };
    },
  });
