import * as z from 'zod';
import { described } from '../../building.ts';
import { defineGuardrail, guardrailModes } from './definition.ts';

export const argumentSchema = defineGuardrail({
  guardrail: 'argument_schema',
  description: "Refuses calls whose arguments do not match the tool's inputSchema (JSON Schema 2020-12 or draft-07).",
  modes: guardrailModes,
  readsArguments: true,
  fields: described(
    { when_unchecked: z.enum(['refuse', 'allow']).default('refuse') },
    {
      when_unchecked:
        "What to do if a tool's schema cannot be used because it is unknown, is too large, is too slow to check, or contains a remote $ref.",
    },
  ),
});
