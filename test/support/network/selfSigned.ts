import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate for localhost and an address, 127.0.0.1, that signs itself, good for a day around now. PEM. */
export function selfSigned(address: readonly number[] = [127, 0, 0, 1]): {
  readonly cert: string;
  readonly key: string;
} {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = certificate(publicKey, privateKey, address);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** One value of DER: its tag, its length, what is in it. */
function value(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}
const sequence = (...parts: readonly Uint8Array[]) => value(0x30, ...parts);
const oid = (hex: string) => value(0x06, Buffer.from(hex, 'hex'));
const utcTime = (ms: number) =>
  value(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));

/** RFC 5280, version 3, with a subject alternative name. */
function certificate(publicKey: KeyObject, privateKey: KeyObject, address: readonly number[]): Buffer {
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const name = sequence(value(0x31, sequence(oid('550403'), value(0x0c, Buffer.from('localhost')))));
  const day = 24 * 60 * 60_000;
  const names = sequence(value(0x82, Buffer.from('localhost')), value(0x87, Buffer.from(address)));
  const extensions = value(0xa3, sequence(sequence(oid('551d11'), value(0x04, names))));
  const body = sequence(
    value(0xa0, value(0x02, Buffer.from([2]))),
    value(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(Date.now() - day), utcTime(Date.now() + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  return sequence(body, ecdsaWithSha256, value(0x03, Buffer.from([0]), sign('sha256', body, privateKey)));
}
