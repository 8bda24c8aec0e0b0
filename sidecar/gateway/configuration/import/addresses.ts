import type { SecretRef } from '../../../protocol/gateway/config/secretRef.ts';
import { type Collector, soundsSecret, variableName } from './imported.ts';

/** Parameters that hold a credential, beside those whose names sound so. */
const credentialParameters = /^(?:auth|code|jwt|pat|sig|signature|sas|access|pwd|pass|session)$/i;

/** An address as it may stand in the file, and what authenticates instead of the name and password that it held. */
export interface CleanAddress {
  readonly text: string;
  readonly auth?: { readonly auth_type: 'basic'; readonly credentials: { readonly auth_value: SecretRef } };
}

/**
 * An address without the credentials in it, of which each is reported: the file holds no secret, and the gateway sends none
 * in an address. What is no address stays as it is.
 * @param hasAuth something else says already how the gateway proves itself there
 */
export function cleanAddress(
  server: string,
  text: string,
  path: string,
  hasAuth: boolean,
  to: Collector,
): CleanAddress {
  if (!URL.canParse(text) || !/^https?:/i.test(text)) return { text };
  const url = new URL(text);
  const hasUser = url.username !== '' || url.password !== '';
  url.username = '';
  url.password = '';
  const secret = [...new Set(url.searchParams.keys())].filter(
    (it) => url.searchParams.get(it) !== '' && (soundsSecret(it) || credentialParameters.test(it)),
  );
  for (const it of secret) {
    url.searchParams.delete(it);
    to.note(
      path,
      `a plaintext secret was found here as '${it}' but was not imported. If the server also accepts it in a header, set that header in static_headers to { "env": "${variableName(server, it)}" }`,
    );
  }
  if (!hasUser) return secret.length === 0 ? { text } : { text: url.href };
  if (hasAuth) {
    to.note(path, 'a plaintext username and password were found here but were not imported');
    return { text: url.href };
  }
  const variable = variableName(server, 'basic');
  to.note(
    path,
    `a plaintext username and password were found here but were not imported. Set the environment variable ${variable} to name:password`,
  );
  return { text: url.href, auth: { auth_type: 'basic', credentials: { auth_value: { env: variable } } } };
}
