import type { SecretKind } from '../../../protocol/gateway/guardrails/secretRedaction.ts';
import { byPattern, byReading, type Finder } from './finder.ts';

const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** To its END line. One without an end is taken to the end of the text: half a key is a secret too. */
function endOfPrivateKey(text: string, start: number): number {
  keyEnd.lastIndex = start;
  return keyEnd.test(text) ? keyEnd.lastIndex : text.length;
}

/** Credentials that are known by their form. */
export const secretFinders: Readonly<Record<SecretKind, Finder>> = {
  aws_access_key: byPattern(/(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g),
  github_token: byPattern(/gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_\w{36,}/g),
  slack_token: byPattern(/xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}/g),
  // Model providers' keys and our own virtual ones, of which the shortest that is allowed has 16 characters, and tokens for SCIM.
  api_key: byPattern(/(?<![A-Za-z0-9])(?:sk-[\w-]{13,}|scim-[\w-]{43,})/g),
  google_api_key: byPattern(/AIza[\w-]{35,}/g),
  private_key: byReading(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g, endOfPrivateKey),
  jwt: byPattern(/(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g),
};
