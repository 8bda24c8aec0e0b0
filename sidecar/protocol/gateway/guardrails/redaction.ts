import * as z from 'zod';
import { described } from '../../building.ts';
import type { CommonParams, FieldRule } from './definition.ts';

export const redactionActions = ['redact', 'block'] as const;
export type RedactionAction = (typeof redactionActions)[number];

/** Own fields of the kinds that take something out of arguments. @param kinds what they can look for */
export const redactionFields = <const K extends string>(kinds: readonly [K, ...K[]]) =>
  described(
    {
      action: z.enum(redactionActions).default('redact'),
      max_characters: z.int().min(1_000).max(10_000_000).default(1_000_000),
      rules: z.partialRecord(z.enum(kinds), z.enum([...redactionActions, 'off'])).optional(),
    },
    {
      action:
        'What to do with a match whose kind is not listed in rules: redact or block. It must be block if mode is during_mcp_call, because that mode cannot change a call.',
      max_characters:
        "Maximum total number of characters in the names and values of a call's arguments. Larger calls are refused.",
      rules: 'What to do with each kind of match: redact, block, or off.',
    },
  );

type Redaction = CommonParams & { readonly action: RedactionAction; readonly rules?: object | undefined };

export const blocksBeside: FieldRule<Redaction> = {
  holds: ({ mode, action, rules }) =>
    !mode.includes('during_mcp_call') ||
    (action === 'block' && Object.values(rules ?? {}).every((rule) => rule !== 'redact')),
  error: 'redact cannot be used here or in rules with mode during_mcp_call, which cannot change a call',
  field: 'action',
};
