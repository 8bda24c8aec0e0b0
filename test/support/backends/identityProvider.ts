import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { type Listening, listen } from './listen.ts';

/** A key pair with the name under which its public half is published. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const newSigningKey = (kid: string): SigningKey => ({
  kid,
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});

export interface IdentityProvider extends Listening {
  /** Those that it publishes. */
  keys: readonly SigningKey[];
  /** It answers nothing but errors. */
  isAway: boolean;
  /** How often it was asked for its keys, also where it was away. */
  fetches: number;
  /** A token that is signed as this provider signs. @param nowMs when it is issued; it is good for 10 minutes */
  token(
    nowMs: number,
    claims: JWTPayload,
    more?: { key?: SigningKey; header?: Partial<JWTHeaderParameters> },
  ): Promise<string>;
}

/** An identity provider that publishes its keys on loopback, and signs whatever a test wants signed. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const server = createServer((request, response) => {
    const json = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/keys') own.fetches += 1;
    if (own.isAway) return void response.writeHead(503).end();
    if (request.url === '/.well-known/openid-configuration')
      return void json({ issuer: own.url, jwks_uri: `${own.url}/keys` });
    const published = own.keys.map(({ kid, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid,
      alg: 'ES256',
    }));
    return void json({ keys: published });
  });
  const listening = await listen(server);
  const own: IdentityProvider = {
    ...listening,
    keys: [newSigningKey('first')],
    isAway: false,
    fetches: 0,
    token(nowMs, claims, { key = own.keys[0]!, header = {} } = {}) {
      const seconds = Math.floor(nowMs / 1_000);
      const payload = { iss: own.url, aud: 'gateway', iat: seconds, exp: seconds + 600, ...claims };
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header }).sign(key.privateKey);
    },
  };
  return own;
}
