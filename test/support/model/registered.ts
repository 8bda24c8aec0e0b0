import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = 'sk-ant-key-of-the-provider';

/**
 * Writes the provider's key to the data directory of a gateway.
 *
 * @param url of the server that answers for every provider
 * @returns makes entries of `model_list`. `base` is where the provider's routes begin on that server
 */
export function registeredAt(dataDir: string, url: string) {
  writeFileSync(join(dataDir, 'provider-key'), KEY, { mode: 0o600 });
  return (model_name: string, provider: string, base: string) => ({
    model_name,
    gateway_params: {
      model: `${provider}/${model_name}`,
      api_base: `${url}${base}`,
      api_key: { file: 'provider-key' },
      allow_private_network: true,
    },
  });
}
