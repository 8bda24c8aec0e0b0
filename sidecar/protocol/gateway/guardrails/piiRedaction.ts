import { defineGuardrail, guardrailModes } from './definition.ts';
import { blocksBeside, redactionFields } from './redaction.ts';

export const piiKinds = ['email', 'phone', 'iban', 'credit_card', 'ipv4'] as const;
export type PiiKind = (typeof piiKinds)[number];

export const piiRedaction = defineGuardrail({
  guardrail: 'pii_redaction',
  description:
    'Removes personal data from the arguments of tool calls, or refuses such calls. ipv4 is off unless rules set it, because version numbers look the same.',
  modes: guardrailModes,
  readsArguments: true,
  fields: redactionFields(piiKinds),
  rules: [blocksBeside],
});
