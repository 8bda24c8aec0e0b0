import { createHash, createPublicKey } from 'node:crypto';
import { type CryptoKey, exportJWK, exportPKCS8, generateKeyPair, importPKCS8, type JWK } from 'jose';
import { Fault } from '../../../platform/faults.ts';

/** A key as it is kept. */
export interface StoredKey {
  /** PKCS #8, PEM. A secret. */
  readonly pem: string;
  /** RFC 3339, UTC. */
  readonly created_at: string;
}

/** A key at work. */
export interface SigningKey {
  /** First 16 hex digits of SHA-256 over the DER public key. */
  readonly kid: string;
  readonly createdMs: number;
  /** Signs in a thread of its own, through Web Crypto. */
  readonly key: CryptoKey;
  /** As the JWKS shows it: public. */
  readonly jwk: JWK;
}

/** A new RSA-2048 key. */
export async function newKey(created_at: string): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  return { pem: await exportPKCS8(privateKey), created_at };
}

/** @throws {Fault} `invalid_params` for what is no RSA key of 2048 bits or more in PKCS #8; the key is not in the message */
export async function readKey({ pem, created_at }: StoredKey): Promise<SigningKey> {
  const createdMs = Date.parse(created_at);
  if (Number.isNaN(createdMs)) throw new Fault('invalid_params', "'created_at' in a signing key is not a valid time.");
  try {
    const publicKey = createPublicKey(pem);
    const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
    if (publicKey.asymmetricKeyType !== 'rsa' || bits < 2048) throw new Error('not an RSA key of at least 2048 bits');
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const kid = createHash('sha256').update(der).digest('hex').slice(0, 16);
    const { kty, n, e } = await exportJWK(publicKey);
    const jwk = { kty, use: 'sig', alg: 'RS256', kid, n, e } as JWK;
    return { kid, createdMs, key: await importPKCS8(pem, 'RS256'), jwk };
  } catch (cause) {
    throw new Fault('invalid_params', 'A signing key is not an RSA key of at least 2048 bits in PKCS #8 format.', {
      cause,
    });
  }
}
