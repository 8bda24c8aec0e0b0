import * as z from 'zod';
import { described } from '../../building.ts';
import { defineGuardrail } from './definition.ts';

export const toolDefinitionPin = defineGuardrail({
  guardrail: 'tool_definition_pin',
  description:
    'Stores the approved definitions of tools and blocks tools whose definition changed. Checks every tool list, and before every call.',
  modes: ['pre_mcp_call'],
  readsArguments: false,
  fields: described(
    {
      pin_on_first_use: z.boolean().default(true),
      new_tools: z.enum(['pin', 'hold']).default('pin'),
    },
    {
      pin_on_first_use:
        'Approve the first tool list of a server automatically. If false, all its tools are blocked until you approve them.',
      new_tools:
        'How to treat tools that are added later: pin approves them as they are, hold blocks them until you approve them.',
    },
  ),
});
