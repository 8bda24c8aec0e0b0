import * as z from 'zod';
import type { SecretStoresConfig } from '../../../protocol/gateway/config/secretStores.ts';
import { badAnswer, jsonOf, KeptToken, type SecretSource, type SourceDeps, tokenOf } from './source.ts';

type Settings = NonNullable<SecretStoresConfig['azure']>;

const what = 'Azure Key Vault';
const resource = 'https://vault.azure.net';
/** The instance metadata service of a machine of Azure. */
const machineToken = 'http://169.254.169.254/metadata/identity/oauth2/token';

const Secret = z.object({ value: z.string() });

/** Secrets of an Azure Key Vault, with an application or a managed identity. */
export function azureSource(settings: Settings, { fetch, machine, readLocal, nowMs }: SourceDeps): SecretSource {
  const { vault_url, tenant_id, client_id, client_secret, authority } = settings;
  const token = new KeptToken(async () => {
    const answer = client_secret ? await asApplication(await readLocal(client_secret)) : await asMachine();
    return tokenOf(answer, "Azure's authorization server");
  }, nowMs);

  function asApplication(secret: string) {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client_id ?? '',
      client_secret: secret,
      scope: `${resource}/.default`,
    });
    return fetch({
      method: 'POST',
      url: `${authority.replace(/\/+$/, '')}/${tenant_id}/oauth2/v2.0/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    });
  }

  function asMachine() {
    const query = new URLSearchParams({ 'api-version': '2018-02-01', resource, ...(client_id && { client_id }) });
    return machine({ method: 'GET', url: `${machineToken}?${query}`, headers: { metadata: 'true' } });
  }

  return {
    async read(name) {
      const used = token.get();
      const headers = { authorization: `Bearer ${await used}` };
      const url = `${vault_url.replace(/\/+$/, '')}/secrets/${name}?api-version=7.4`;
      const answer = await fetch({ method: 'GET', url, headers });
      if (answer.status === 401) token.forget(used);
      const { data } = Secret.safeParse(jsonOf(answer, what));
      if (!data) throw badAnswer(what);
      return data.value;
    },
  };
}
