import * as z from 'zod';
import { described } from '../../building.ts';
import { defineGuardrail } from './definition.ts';

export const toolDefinitionPin = defineGuardrail({
  guardrail: 'tool_definition_pin',
  description:
    'Stores the approved definition of each tool and holds tools whose definitions have changed. It checks every tool list and every call.',
  modes: ['pre_mcp_call'],
  readsArguments: false,
  fields: described(
    {
      pin_on_first_use: z.boolean().default(true),
      new_tools: z.enum(['pin', 'hold']).default('pin'),
    },
    {
      pin_on_first_use:
        "Approve a server's first tool list automatically. Otherwise, all of the server's tools are blocked until they are approved.",
      new_tools:
        'What to do with a tool that is added later: pin its current definition, or hold the tool until it is approved.',
    },
  ),
});
