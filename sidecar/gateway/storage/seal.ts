import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Fault } from '../../platform/faults.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts what is secret at rest. A text opens only under the name it was sealed for: rows cannot be exchanged. */
export interface SecretSealer {
  seal(name: string, clear: string): string;
  /** @throws {Fault} `internal` where the text was changed, belongs to another row or to another sealing key */
  open(name: string, sealed: string): string;
}

/** AES-256-GCM with a random nonce. @param secret at least 32 bytes, kept outside of the database */
export function openSealer(secret: Uint8Array): SecretSealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'switchboard gateway secrets', 32));
  return {
    seal(name, clear) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name));
      const body = Buffer.concat([cipher.update(clear, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
          .setAAD(Buffer.from(name))
          .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw new Fault('internal', 'A stored secret cannot be read with the sealing key of this gateway.', { cause });
      }
    },
  };
}
