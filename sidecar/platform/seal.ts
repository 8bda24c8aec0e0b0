import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Makes text that only we can read and write, and that no other caller can use. */
export interface Sealer {
  /** @param subject what the text is, and whose: it opens for exactly the same subject */
  seal(value: unknown, subject: string): string;
  /** The value; `undefined` where it was changed, is another's, or comes from another key. */
  open(text: string, subject: string): unknown;
}

/**
 * AES-256-GCM with a fresh nonce for each text.
 *
 * @param key 32 bytes that outlive the process and that replicas share, so that sessions do too
 * @throws {RangeError} for a key of another length
 */
export function createSealer(key: Uint8Array): Sealer {
  if (key.byteLength !== 32)
    throw new RangeError(`a sealing key must have 32 bytes, but this one has ${key.byteLength}`);
  return {
    seal(value, subject) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(digest(subject));
      const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(text, subject) {
      const bytes = Buffer.from(text, 'base64url');
      // Characters that decode to nothing would give one text many spellings.
      if (bytes.byteLength < 29 || bytes.toString('base64url') !== text) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(digest(subject));
        decipher.setAuthTag(bytes.subarray(12, 28));
        const plain = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
        return JSON.parse(plain.toString('utf8')) as unknown;
      } catch {
        return undefined; // not ours, not theirs, or changed: all the same to whoever sent it
      }
    },
  };
}

/**
 * A sealer with a key of its own for one purpose. Deriving keys takes a process that starts a few milliseconds, and most purposes have to
 * wait for somebody who needs them, so a key is derived when it is first used.
 *
 * @param secret at least 32 bytes
 */
export function sealerFor(secret: Uint8Array, purpose: string): Sealer {
  let derived: Sealer | undefined;
  const sealer = () => (derived ??= createSealer(sealingKey(secret, purpose)));
  return {
    seal: (value, subject) => sealer().seal(value, subject),
    open: (text, subject) => sealer().open(text, subject),
  };
}

/** A key for one purpose, so that what was sealed for another does not open. @param secret at least 32 bytes */
export const sealingKey = (secret: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', `switchboard gateway ${purpose}`, 32));

const digest = (subject: string) => createHash('sha256').update(subject).digest();
