import { createSign } from 'node:crypto';
import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { SecretStoresConfig } from '../../../protocol/gateway/config/secretStores.ts';
import { badAnswer, jsonOf, KeptToken, type SecretSource, type SourceDeps, tokenOf } from './source.ts';

type Settings = NonNullable<SecretStoresConfig['gcp']>;

const what = 'Google Cloud Secret Manager';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
/** The metadata server of a machine of Google Cloud. */
const machineToken = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token';

const ServiceAccount = z.object({
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string().optional(),
  token_uri: z.string().default('https://oauth2.googleapis.com/token'),
});
const Version = z.object({ payload: z.object({ data: z.string() }) });

/** Versions of secrets in Google Cloud Secret Manager, with a service account or that of the machine. */
export function gcpSource(settings: Settings, { fetch, machine, readLocal, nowMs }: SourceDeps): SecretSource {
  const { project, credentials, endpoint = 'https://secretmanager.googleapis.com' } = settings;
  const token = new KeptToken(async () => {
    const answer = credentials
      ? await exchanged(await readLocal(credentials))
      : await machine({ method: 'GET', url: machineToken, headers: { 'metadata-flavor': 'Google' } });
    return tokenOf(answer, "Google's authorization server");
  }, nowMs);

  /** RFC 7523: a token that the service account signs is traded for one of Google. */
  async function exchanged(text: string) {
    const account = readAccount(text);
    const now = Math.floor(nowMs() / 1_000);
    const { client_email: iss, token_uri: aud, private_key_id: kid } = account;
    const head = { alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) };
    const claims = { iss, scope, aud, iat: now, exp: now + 3_600 };
    const signed = [head, claims].map((it) => Buffer.from(JSON.stringify(it)).toString('base64url')).join('.');
    const assertion = `${signed}.${signature(signed, account.private_key)}`;
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return fetch({ method: 'POST', url: aud, headers, body: body.toString() });
  }

  return {
    async read(name) {
      const path = name.startsWith('projects/') ? name : `projects/${project}/secrets/${name}/versions/latest`;
      if (!/^projects\/[\w-]+\/secrets\/[\w-]+\/versions\/\w+$/.test(path))
        throw new Fault('not_found', `${what} has no such secret`);
      const used = token.get();
      const headers = { authorization: `Bearer ${await used}` };
      const answer = await fetch({ method: 'GET', url: `${endpoint.replace(/\/+$/, '')}/v1/${path}:access`, headers });
      if (answer.status === 401) token.forget(used);
      const { data } = Version.safeParse(jsonOf(answer, what));
      if (!data) throw badAnswer(what);
      return Buffer.from(data.payload.data, 'base64').toString('utf8');
    },
  };
}

function readAccount(text: string) {
  try {
    return ServiceAccount.parse(JSON.parse(text));
  } catch {
    throw new Fault('unavailable', "'secret_stores.gcp.credentials' is not the key of a service account");
  }
}

function signature(text: string, key: string): string {
  try {
    return createSign('RSA-SHA256').update(text).sign(key, 'base64url');
  } catch {
    throw new Fault('unavailable', "The private key in 'secret_stores.gcp.credentials' cannot be used");
  }
}
