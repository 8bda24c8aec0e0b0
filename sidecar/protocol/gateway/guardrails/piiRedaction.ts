import { defineGuardrail, guardrailModes } from './definition.ts';
import { blocksBeside, redactionFields } from './redaction.ts';

export const piiKinds = ['email', 'phone', 'iban', 'credit_card', 'ipv4'] as const;
export type PiiKind = (typeof piiKinds)[number];

export const piiRedaction = defineGuardrail({
  guardrail: 'pii_redaction',
  description:
    'Removes personal data from tool call arguments, or refuses calls that contain it. ipv4 is off unless it is set in rules, because version numbers can look like IPv4 addresses.',
  modes: guardrailModes,
  readsArguments: true,
  fields: redactionFields(piiKinds),
  rules: [blocksBeside],
});
