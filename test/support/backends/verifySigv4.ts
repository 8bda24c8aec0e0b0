import { createHash, createHmac } from 'node:crypto';
import type { Heard } from './echoBackend.ts';

const hash = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Uint8Array, data: string) => createHmac('sha256', key).update(data).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`);

const order = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** The signing key of a day (SigV4, "derive a signing key"). */
export function signingKey(secret: string, day: string, region: string, service: string): Buffer {
  return [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day));
}

/**
 * Checks a signature as the cloud does: from what arrived and the secret, written from the published algorithm and not
 * from our signer. @returns the signed headers
 * @throws where the signature is not that of the request
 */
export function verifySigv4(heard: Heard, secretOf: (accessKeyId: string) => string): readonly string[] {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      heard.headers.authorization ?? '',
    );
  if (!match) throw new Error('no SigV4 authorization');
  const [, id = '', day = '', region = '', service = '', names = '', signature] = match;
  const [path = '', query = ''] = heard.path.split('?');
  const canonicalQuery = query
    .split('&')
    .filter((it) => it !== '')
    .map((it) => {
      const [name = '', ...value] = it.split('=');
      return [encoded(decodeURIComponent(name)), encoded(decodeURIComponent(value.join('=')))] as const;
    })
    // By name, then by value: a name comes before those that it begins.
    .sort(([name, value], [other, otherValue]) => order(name, other) || order(value, otherValue))
    .map((it) => it.join('='))
    .join('&');
  const canonical = [
    heard.method,
    path.split('/').map(encoded).join('/'),
    canonicalQuery,
    ...names.split(';').map((name) => `${name}:${String(heard.headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    hash(heard.body),
  ].join('\n');
  const date = String(heard.headers['x-amz-date']);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const wanted = hmac(
    signingKey(secretOf(id), day, region, service),
    ['AWS4-HMAC-SHA256', date, scope, hash(canonical)].join('\n'),
  ).toString('hex');
  if (wanted !== signature || !date.startsWith(day)) throw new Error('the signature is not that of this request');
  return names.split(';');
}
