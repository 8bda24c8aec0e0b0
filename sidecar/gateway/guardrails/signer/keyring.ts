import type { JWK } from 'jose';
import { Fault } from '../../../platform/faults.ts';
import { readKey, type SigningKey } from './signingKey.ts';

/** The body of `/.well-known/jwks.json`, and for how long it may be cached. */
export interface Jwks {
  readonly keys: readonly JWK[];
  readonly maxAgeSeconds: number;
}

/** The keys that sign assertions. */
export interface Keyring {
  signing(): Promise<SigningKey>;
  jwks(): Promise<Jwks>;
  /**
   * A new key: in the JWKS at once, signing when every cache can know it. The old one stays until its last token is over.
   * @param isLost somebody else has the old keys: they go now, and tokens that they signed are refused
   * @throws {Fault} `conflict` while the last rotation is not over, or where the operator brings the keys
   */
  rotate(isLost?: boolean): Promise<void>;
}

const maxAgeSeconds = 3600;

/**
 * Keys that the operator brings: the first signs, all are published, so that a new one can be published before it signs.
 * @param pems PKCS #8, at least one
 * @throws {Fault} `invalid_params` from every use, for what is no key
 */
export function configuredKeyring(pems: readonly string[]): Keyring {
  const created_at = new Date(0).toISOString();
  let reading: Promise<readonly SigningKey[]> | undefined;
  const keys = () => {
    reading ??= Promise.all(pems.map((pem) => readKey({ pem, created_at })));
    return reading;
  };
  return {
    async signing() {
      const [first] = await keys();
      if (!first) throw new Fault('invalid_params', 'The list of signing keys is empty.');
      return first;
    },
    jwks: async () => ({ keys: (await keys()).map((it) => it.jwk), maxAgeSeconds }),
    rotate: () =>
      Promise.reject(new Fault('conflict', 'The signing keys come from the configuration. Change them there.')),
  };
}
