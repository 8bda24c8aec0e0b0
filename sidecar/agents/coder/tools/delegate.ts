import * as z from 'zod';
import { type CoderTool, tool } from './tool.ts';

/** Plays a task in a conversation of its own. @returns the sub-agent's last message */
export type PlayTask = (task: string, toolCallId: string) => Promise<string>;

export const delegateWith = (play: PlayTask): CoderTool =>
  tool({
    name: 'delegate',
    kind: 'think',
    description:
      'Gives a task to a sub-agent with an empty context and the same tools, and returns its report. Use it to search widely, or for independent parts of the work. Several can work at the same time.',
    isReading: true, // it is offered no other tools than this agent has
    input: z.object({
      title: z.string().min(1).describe('A few words for the user'),
      task: z.string().min(1).describe('Everything that the sub-agent has to know, and what it should report'),
    }),
    async run({ title, task }, { confirm, toolCallId }) {
      await confirm({ kind: 'think', invocationMessage: `Delegate: ${title}`, toolInput: task, paths: [] });
      const report = await play(task, toolCallId);
      return { text: report === '' ? '(the sub-agent reported nothing)' : report, past: `Delegated: ${title}` };
    },
  });
