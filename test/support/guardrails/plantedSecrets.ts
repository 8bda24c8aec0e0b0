import type { PiiKind } from '../../../sidecar/protocol/gateway/guardrails/piiRedaction.ts';
import type { SecretKind } from '../../../sidecar/protocol/gateway/guardrails/secretRedaction.ts';

/** A secret of each kind that the gateway knows by its form. */
export const plantedSecrets: Readonly<Record<SecretKind, string>> = {
  aws_access_key: 'AKIAIOSFODNN7PLANTED',
  github_token: `ghp_${'x9'.repeat(18)}`,
  slack_token: 'xoxb-12345678901-planted',
  api_key: `sk-proj-${'planted'.repeat(4)}`,
  google_api_key: `AIza${'q7'.repeat(18)}`,
  private_key: `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEplanted'.repeat(4)}\n-----END RSA PRIVATE KEY-----`,
  jwt: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmVkcGxhbnRlZA',
};

/** What points to a person, of each kind that is taken out of what is stored. */
export const plantedData: Readonly<Record<Exclude<PiiKind, 'ipv4'>, string>> = {
  email: 'ada.planted@example.org',
  phone: '+49 30 901820',
  iban: 'DE89370400440532013000',
  credit_card: '4111 1111 1111 1111',
};
