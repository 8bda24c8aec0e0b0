import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { SecretStoresConfig } from '../../../protocol/gateway/config/secretStores.ts';
import { AwsCredentialSource } from '../aws/credentials.ts';
import { signRequest } from '../aws/signRequest.ts';
import { badAnswer, jsonOf, type SecretSource, type SourceDeps } from './source.ts';

type Settings = NonNullable<SecretStoresConfig['aws']>;

const what = 'AWS Secrets Manager';
const service = 'secretsmanager';
const Secret = z.object({ SecretString: z.string().optional(), SecretBinary: z.string().optional() });
const Refused = z.object({ __type: z.string() });

/** `GetSecretValue` of AWS Secrets Manager, signed with SigV4. */
export function awsSource(settings: Settings, { fetch, readLocal, nowMs }: SourceDeps): SecretSource {
  const { region, access_key_id, secret_access_key } = settings;
  const url = settings.endpoint ?? `https://${service}.${region}.amazonaws.com/`;
  const chain = new AwsCredentialSource({ nowMs });

  async function credentials() {
    if (!access_key_id || !secret_access_key) return chain.credentials(what, { region, service });
    return { accessKeyId: await readLocal(access_key_id), secretAccessKey: await readLocal(secret_access_key) };
  }

  return {
    async read(name) {
      const request = {
        method: 'POST' as const,
        url,
        headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${service}.GetSecretValue` },
        body: JSON.stringify({ SecretId: name }),
      };
      const signature = await signRequest(request, {
        credentials: await credentials(),
        region,
        service,
        nowMs: nowMs(),
      });
      const answer = await fetch({ ...request, headers: { ...request.headers, ...signature } });
      if (answer.status === 400 && isMissing(answer.text)) throw new Fault('not_found', `${what} has no such secret`);
      const { data } = Secret.safeParse(jsonOf(answer, what));
      if (data?.SecretString !== undefined) return data.SecretString;
      if (data?.SecretBinary !== undefined) return Buffer.from(data.SecretBinary, 'base64').toString('utf8');
      throw badAnswer(what);
    },
  };
}

function isMissing(text: string): boolean {
  try {
    return Refused.safeParse(JSON.parse(text)).data?.__type.endsWith('ResourceNotFoundException') === true;
  } catch {
    return false; // no answer of the service, whose status says enough
  }
}
