import * as z from 'zod';
import { type CoderTool, tool } from './tool.ts';

const START = 'start';

/**
 * Ends planning. The user can edit the plan, start it, or describe what is missing.
 * @param start leaves Plan mode
 */
export const presentPlanWith = (start: () => void): CoderTool =>
  tool({
    name: 'present_plan',
    kind: 'think',
    description: 'Presents the finished plan to the user, who can edit and start it. Call it when you know enough.',
    isReading: true,
    isSilent: true,
    input: z.object({
      plan: z.string().min(1).describe('Markdown: the goal, the steps with files, and how to check the result'),
    }),
    async run({ plan }, { host, toolCallId, emit }) {
      emit({ kind: 'text', partId: toolCallId, text: plan });
      const { response, values } = await host.ask({
        id: toolCallId,
        message: 'The plan is ready.',
        questions: [
          { kind: 'text', id: 'plan', message: 'You can edit the plan.', defaultValue: plan },
          {
            kind: 'single-select',
            id: 'next',
            message: 'What should happen next?',
            required: true,
            allowFreeformInput: true,
            options: [
              { id: START, label: 'Start the plan', recommended: true },
              { id: 'plan', label: 'Continue planning' },
            ],
          },
        ],
      });
      const { plan: changed = plan, next } = values;
      if (response !== 'accept')
        return { text: 'The user did not start the plan. End your turn.', past: 'Presented the plan', hasFailed: true };
      if (next === START) {
        start();
        return {
          text: `The user started this plan. Carry it out now.\n\n${String(changed)}`,
          past: 'Presented the plan',
        };
      }
      const wish = next === undefined || next === 'plan' ? '' : ` They said: ${String(next)}`;
      const text = `The user wants to continue planning.${wish}\n\nThe plan as the user left it:\n\n${String(changed)}`;
      return { text, past: 'Presented the plan' };
    },
  });
