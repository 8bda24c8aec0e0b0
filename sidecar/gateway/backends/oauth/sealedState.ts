import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import * as z from 'zod';
import type { RandomBytes } from './pkce.ts';

/** What must come back from the browser unseen and unchanged. */
export const FlowState = z.object({
  id: z.string(),
  server_id: z.string(),
  user: z.string(),
  verifier: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  redirect_uri: z.string(),
  /** SHA-256 of the browser's cookie. */
  binding: z.string(),
  expires_at_ms: z.number(),
  /** Where the person goes afterwards, as whoever began it said. */
  return_to: z.string().optional(),
});
export type FlowState = z.infer<typeof FlowState>;

const purpose = 'switchboard upstream oauth state 1';

/** Seals states with AES-256-GCM. @param secret at least 32 bytes, the same on all replicas and after a restart */
export function stateSealer(secret: Uint8Array, random: RandomBytes) {
  const key = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), purpose, 32));
  return {
    seal(state: FlowState): string {
      const nonce = random(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(JSON.stringify(state), 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    /** Undefined for anything that was not sealed here. */
    open(text: string): FlowState | undefined {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length < 29 || text.length > 8_192) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        const body = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
        return FlowState.safeParse(JSON.parse(body.toString('utf8'))).data;
      } catch {
        return undefined; // whoever made it does not have the key
      }
    },
  };
}
