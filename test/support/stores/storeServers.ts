import { createHash, createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type EchoBackend, type Heard, startEchoBackend } from '../backends/echoBackend.ts';

/** A secret store that checks who asks as the real one does. */
export interface StoreServer extends EchoBackend {
  /** By path or name. */
  readonly secrets: Record<string, unknown>;
  /** It answers 503 to everything. */
  isAway: boolean;
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const textOf = ({ body }: Heard) => body.toString();

async function startStore(answer: (store: StoreServer, heard: Heard, response: ServerResponse) => void) {
  const store: StoreServer = Object.assign(await startEchoBackend(), { secrets: {}, isAway: false });
  store.answer = (heard, response) => {
    if (store.isAway) json(response, 503, { errors: ['sealed'] });
    else answer(store, heard, response);
  };
  return store;
}

export interface VaultServer extends StoreServer {
  /** Tokens that are good now. */
  readonly tokens: Set<string>;
}

/** HashiCorp Vault: KV version 2 at `secret`, AppRole, and Kubernetes, in the namespace `team`. */
export async function startVault(): Promise<VaultServer> {
  let count = 0;
  const tokens = new Set(['root-token']);
  const signIn = (response: ServerResponse, isRight: boolean) => {
    if (!isRight) return json(response, 400, { errors: ['invalid role or secret ID'] });
    const token = `hvs.${(count += 1)}`;
    tokens.add(token);
    json(response, 200, { auth: { client_token: token, lease_duration: 3_600 } });
  };
  const store = await startStore(({ secrets }, heard, response) => {
    if (heard.headers['x-vault-namespace'] !== 'team') return json(response, 404, { errors: [] });
    if (heard.path === '/v1/auth/approle/login')
      return signIn(response, textOf(heard) === '{"role_id":"role-1","secret_id":"secret-1"}');
    if (heard.path === '/v1/auth/kubernetes/login')
      return signIn(response, textOf(heard) === '{"role":"gateway","jwt":"account-token"}');
    if (!tokens.has(String(heard.headers['x-vault-token'])))
      return json(response, 403, { errors: ['permission denied'] });
    const path = /^\/v1\/secret\/data\/(.+)$/.exec(heard.path)?.[1] ?? '';
    const data = secrets[decodeURIComponent(path)];
    json(response, data ? 200 : 404, data ? { data: { data, metadata: { version: 1 } } } : { errors: [] });
  });
  return Object.assign(store, { tokens });
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/** Whether a request has the SigV4 signature of a secret key, worked out from the specification. */
function isSigned({ method, path, headers, body }: Heard, secretKey: string): boolean {
  const found = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\S+)$/.exec(
    headers.authorization ?? '',
  );
  const [, credential = '', signed = '', signature] = found ?? [];
  const [, day = '', region = '', service = ''] = credential.split('/');
  const names = signed.split(';');
  const lines = names.map((it) => `${it}:${String(headers[it]).trim()}\n`).join('');
  const canonical = [method, path, '', lines, signed, sha256(body)].join('\n');
  const text = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    `${day}/${region}/${service}/aws4_request`,
    sha256(canonical),
  ];
  const key = [region, service, 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secretKey}`, day));
  return hmac(key, text.join('\n')).toString('hex') === signature && names.includes('x-amz-date');
}

/** AWS Secrets Manager for the key pair AKID and `aws-secret-key`. */
export const startAws = (): Promise<StoreServer> =>
  startStore(({ secrets }, heard, response) => {
    if (!isSigned(heard, 'aws-secret-key')) return json(response, 400, { __type: 'InvalidSignatureException' });
    if (heard.headers['x-amz-target'] !== 'secretsmanager.GetSecretValue')
      return json(response, 400, { __type: 'UnknownOperationException' });
    const { SecretId } = JSON.parse(textOf(heard)) as { SecretId: string };
    const SecretString = secrets[SecretId];
    json(response, SecretString ? 200 : 400, SecretString ? { SecretString } : { __type: 'ResourceNotFoundException' });
  });

/** Google's authorization server and Secret Manager, with one service account. */
export async function startGcp(): Promise<StoreServer & { readonly account: () => string }> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const store = await startStore(({ secrets, url }, heard, response) => {
    if (heard.path === '/token') {
      const assertion = new URLSearchParams(textOf(heard)).get('assertion') ?? '';
      const [head = '', claims = '', signature = ''] = assertion.split('.');
      const { iss, aud, scope, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
        string,
        unknown
      >;
      const isRight =
        createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url') &&
        iss === 'gateway@p.iam.gserviceaccount.com' &&
        aud === `${url}/token` &&
        scope === 'https://www.googleapis.com/auth/cloud-platform' &&
        Number(exp) > 0;
      return json(response, isRight ? 200 : 400, isRight ? { access_token: 'ya29.x', expires_in: 3_599 } : {});
    }
    if (heard.headers.authorization !== 'Bearer ya29.x') return json(response, 401, {});
    const value = secrets[heard.path.replace(/^\/v1\//, '').replace(/:access$/, '')];
    const data = Buffer.from(String(value)).toString('base64');
    json(response, value ? 200 : 404, value ? { payload: { data } } : {});
  });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const account = () =>
    JSON.stringify({ client_email: 'gateway@p.iam.gserviceaccount.com', private_key, token_uri: `${store.url}/token` });
  return Object.assign(store, { account });
}

/** Azure's authorization server and Key Vault, with one application. */
export const startAzure = (): Promise<StoreServer> =>
  startStore(({ secrets }, heard, response) => {
    const [path = '', query = ''] = heard.path.split('?');
    if (path === '/tenant-1/oauth2/v2.0/token') {
      const { client_id, client_secret, scope, grant_type } = Object.fromEntries(new URLSearchParams(textOf(heard)));
      const isRight =
        client_id === 'app-1' &&
        client_secret === 'azure-secret' &&
        scope === 'https://vault.azure.net/.default' &&
        grant_type === 'client_credentials';
      return json(response, isRight ? 200 : 401, isRight ? { access_token: 'eyJ.x', expires_in: 3_599 } : {});
    }
    if (heard.headers.authorization !== 'Bearer eyJ.x') return json(response, 401, {});
    const value = query === 'api-version=7.4' ? secrets[path.replace('/secrets/', '')] : undefined;
    json(response, value ? 200 : 404, value ? { value } : {});
  });
