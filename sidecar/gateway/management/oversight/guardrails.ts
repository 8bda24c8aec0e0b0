import * as z from 'zod';
import { ok, route } from '../route.ts';

export const listGuardrails = route({
  method: 'GET',
  path: '/guardrails/list',
  who: 'any',
  tag: 'guardrails',
  summary: 'Lists the guardrails for tool calls. Keys and teams can add guardrails to those that always run',
  answer: z.object({
    guardrails: z.array(
      z.object({
        guardrail_name: z.string(),
        mode: z.union([z.string(), z.array(z.string())]),
        default_on: z.boolean(),
        description: z.string().nullish(),
      }),
    ),
  }),
  handle: (_call, { guardrails }) => Promise.resolve(ok({ guardrails: guardrails() })),
});
