import * as z from 'zod';
import { described } from '../../building.ts';
import { defineGuardrail, guardrailModes } from './definition.ts';

export const argumentSchema = defineGuardrail({
  guardrail: 'argument_schema',
  description: 'Refuses arguments that do not match the inputSchema of the tool (JSON Schema 2020-12 or draft-07).',
  modes: guardrailModes,
  readsArguments: true,
  fields: described(
    { when_unchecked: z.enum(['refuse', 'allow']).default('refuse') },
    {
      when_unchecked:
        'What to do if the schema of a tool cannot be used: it is unknown, too large, too slow, or has a remote $ref.',
    },
  ),
});
