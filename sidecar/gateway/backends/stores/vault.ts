import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { SecretStoresConfig } from '../../../protocol/gateway/config/secretStores.ts';
import { badAnswer, jsonOf, KeptToken, type SecretSource, type SourceDeps } from './source.ts';

type Settings = NonNullable<SecretStoresConfig['vault']>;

type AppRole = Extract<Settings['auth'], { approle: unknown }>['approle'];
type Kubernetes = Extract<Settings['auth'], { kubernetes: unknown }>['kubernetes'];

const what = 'Vault';
const Secret = z.object({ data: z.object({ data: z.record(z.string(), z.unknown()) }) });
const Login = z.object({ auth: z.object({ client_token: z.string().min(1), lease_duration: z.number() }) });
/** A lease of 0 seconds does not end. */
const forever = 365 * 86_400;

/** The KV version 2 engine of HashiCorp Vault over its HTTP API. */
export function vaultSource(settings: Settings, { fetch, readLocal, nowMs }: SourceDeps): SecretSource {
  const { address, namespace, mount, auth } = settings;
  const base = `${address.replace(/\/+$/, '')}/v1`;
  const own = namespace === undefined ? {} : { 'x-vault-namespace': namespace };
  const token = new KeptToken(signIn, nowMs);

  async function signIn() {
    if ('token' in auth) return { token: await readLocal(auth.token), seconds: 60 };
    const { mount: at, body } = 'approle' in auth ? await ofRole(auth.approle) : await ofAccount(auth.kubernetes);
    const url = `${base}/auth/${encodedPath(at)}/login`;
    const headers = { ...own, 'content-type': 'application/json' };
    const answer = await fetch({ method: 'POST', url, headers, body: JSON.stringify(body) });
    if (answer.status !== 200)
      throw new Fault('unavailable', `${what} refused the gateway's sign-in with HTTP ${answer.status}`);
    const { data } = Login.safeParse(jsonOf(answer, what));
    if (!data) throw badAnswer(what);
    return { token: data.auth.client_token, seconds: data.auth.lease_duration || forever };
  }

  async function ofRole({ mount, role_id, secret_id }: AppRole) {
    return { mount, body: { role_id: await readLocal(role_id), secret_id: await readLocal(secret_id) } };
  }
  async function ofAccount({ mount, role, token_file }: Kubernetes) {
    return { mount, body: { role, jwt: await readLocal({ file: token_file }) } };
  }

  const ask = async (path: string, used: Promise<string>) => {
    const headers = { ...own, 'x-vault-token': await used };
    return fetch({ method: 'GET', url: `${base}/${encodedPath(mount)}/data/${encodedPath(path)}`, headers });
  };

  return {
    async read(path) {
      const used = token.get();
      let answer = await ask(path, used);
      // The token was revoked, or ended early.
      if (answer.status === 403) {
        token.forget(used);
        answer = await ask(path, token.get());
      }
      const { data } = Secret.safeParse(jsonOf(answer, what));
      if (!data) throw badAnswer(what);
      return data.data.data;
    },
  };
}

/** @throws {Fault} for a path that climbs */
function encodedPath(path: string): string {
  const parts = path.split('/').filter((it) => it !== '');
  if (parts.some((it) => it === '.' || it === '..')) throw new Fault('not_found', `${what} has no such path`);
  return parts.map(encodeURIComponent).join('/');
}
