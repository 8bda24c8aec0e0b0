import type { CredentialRecord } from '../../protocol/gateway/agent.ts';
import { modelProviderOf } from '../../protocol/gateway/modelProviders/index.ts';
import type { GatewayStore } from '../storage/store.ts';
import { sealedKinds } from './credentialStores.ts';

/** The value of a credential that is the key itself, under the names that people use for it. */
const keyNames = ['api_key', 'apiKey', 'key', 'token'] as const;

/**
 * Keys of providers: the newest credential that is stored for a provider under LLM Credentials, or else an environment variable.
 * Remembered until a credential changes.
 */
export function providerCredentials(store: GatewayStore, env: Readonly<Record<string, string | undefined>>) {
  const kept = new Map<string, Promise<string | undefined>>();
  store.changes.listen((kind) => {
    if (kind === 'credential') kept.clear();
  });

  async function keyIn({ credential_name, value_names }: CredentialRecord): Promise<string | undefined> {
    const name = keyNames.find((it) => value_names.includes(it));
    return name && store.secrets.get(sealedKinds.credential, credential_name, name);
  }

  async function read(provider: string): Promise<string | undefined> {
    const { aliases = [], variables } = modelProviderOf(provider) ?? {
      variables: [`${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`],
    };
    const all = await store.credential.list({ descending: true });
    for (const it of all.items) {
      const given = it.credential_info.custom_llm_provider.toLowerCase();
      const value = given === provider || aliases.includes(given) ? await keyIn(it) : undefined;
      if (value) return value;
    }
    return variables.map((it) => env[it]).find((it) => it !== undefined && it !== '');
  }

  const remembered = (name: string, ask: () => Promise<string | undefined>): Promise<string | undefined> => {
    const known = kept.get(name);
    if (known) return known;
    const asked = ask().catch((thrown: unknown) => {
      kept.delete(name);
      throw thrown;
    });
    kept.set(name, asked);
    return asked;
  };

  return {
    /** @param provider in lower case */
    keyOf: (provider: string): Promise<string | undefined> => remembered(provider, () => read(provider)),
    /** The key in the credential with this name; `undefined` if there is none. */
    keyNamed: (name: string): Promise<string | undefined> =>
      remembered(`named ${name}`, async () => {
        const record = await store.credential.get(name);
        return record && keyIn(record);
      }),
  };
}
