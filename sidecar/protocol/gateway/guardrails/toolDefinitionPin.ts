import * as z from 'zod';
import { described } from '../../building.ts';
import { defineGuardrail } from './definition.ts';

export const toolDefinitionPin = defineGuardrail({
  guardrail: 'tool_definition_pin',
  description:
    'Remembers the definitions of tools as they were approved, and holds back those that changed. Looks at each list and before each call.',
  modes: ['pre_mcp_call'],
  readsArguments: false,
  fields: described(
    {
      pin_on_first_use: z.boolean().default(true),
      new_tools: z.enum(['pin', 'hold']).default('pin'),
    },
    {
      pin_on_first_use: 'The first list of a server counts as approved. Otherwise all its tools wait.',
      new_tools: 'What is done with a tool that comes later: pin it as it is, or hold it until it is approved.',
    },
  ),
});
