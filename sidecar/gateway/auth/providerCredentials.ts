import type { GatewayStore } from '../storage/store.ts';
import { sealedKinds } from './credentialStores.ts';

/** The value of a credential that is the key itself, under the names that people use for it. */
const keyNames = ['api_key', 'apiKey', 'key', 'token'] as const;

/**
 * Keys of providers: of what was registered under LLM Credentials for one, the newest; else the environment's
 * `<PROVIDER>_API_KEY`. Remembered until a credential changes.
 */
export function providerCredentials(store: GatewayStore, env: Readonly<Record<string, string | undefined>>) {
  const kept = new Map<string, Promise<string | undefined>>();
  store.changes.listen((kind) => {
    if (kind === 'credential') kept.clear();
  });

  async function read(provider: string): Promise<string | undefined> {
    const all = await store.credential.list({ descending: true });
    for (const { credential_name, credential_info, value_names } of all.items) {
      if (credential_info.custom_llm_provider.toLowerCase() !== provider) continue;
      const name = keyNames.find((it) => value_names.includes(it));
      const value = name && (await store.secrets.get(sealedKinds.credential, credential_name, name));
      if (value) return value;
    }
    return env[`${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`];
  }

  return {
    /** @param provider in lower case */
    keyOf(provider: string): Promise<string | undefined> {
      const known = kept.get(provider);
      if (known) return known;
      const asked = read(provider).catch((thrown: unknown) => {
        kept.delete(provider);
        throw thrown;
      });
      kept.set(provider, asked);
      return asked;
    },
  };
}
