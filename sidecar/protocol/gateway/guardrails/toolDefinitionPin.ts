import * as z from 'zod';
import { described } from '../../building.ts';
import { defineGuardrail } from './definition.ts';

export const toolDefinitionPin = defineGuardrail({
  guardrail: 'tool_definition_pin',
  description:
    'Stores the approved definition of each tool, and holds tools whose definition has changed. It checks each list of tools and each call.',
  modes: ['pre_mcp_call'],
  readsArguments: false,
  fields: described(
    {
      pin_on_first_use: z.boolean().default(true),
      new_tools: z.enum(['pin', 'hold']).default('pin'),
    },
    {
      pin_on_first_use: 'Approve the first list of tools of a server. Otherwise all its tools wait for approval.',
      new_tools: 'What to do with a tool that is added later: pin it as it is, or hold it until it is approved.',
    },
  ),
});
