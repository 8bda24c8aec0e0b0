import { defineGuardrail, guardrailModes } from './definition.ts';
import { blocksBeside, redactionFields } from './redaction.ts';

export const secretKinds = [
  'aws_access_key',
  'github_token',
  'slack_token',
  'api_key',
  'google_api_key',
  'private_key',
  'jwt',
] as const;
export type SecretKind = (typeof secretKinds)[number];

export const secretRedaction = defineGuardrail({
  guardrail: 'secret_redaction',
  description: 'Removes secrets from tool call arguments, or refuses calls that contain them.',
  modes: guardrailModes,
  readsArguments: true,
  fields: redactionFields(secretKinds),
  rules: [blocksBeside],
});
