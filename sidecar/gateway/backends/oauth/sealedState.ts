import * as z from 'zod';
import { sealerFor } from '../../../platform/seal.ts';

/** What must come back from the browser unseen and unchanged. */
export const FlowState = z.object({
  id: z.string(),
  server_id: z.string(),
  user: z.string(),
  verifier: z.string(),
  issuer: z.string(),
  /** Where the code and the token go. */
  origins: z.string(),
  client_id: z.string(),
  redirect_uri: z.string(),
  /** SHA-256 of the browser's cookie. */
  binding: z.string(),
  expires_at_ms: z.number(),
  /** Where the person goes afterwards, as whoever began it said. */
  return_to: z.string().optional(),
});
export type FlowState = z.infer<typeof FlowState>;

const purpose = 'upstream oauth state';
/** Longer ones were not made here. */
const MAX_CHARACTERS = 8_192;

/** Seals states. @param secret at least 32 bytes, the same on all replicas and after a restart */
export function stateSealer(secret: Uint8Array) {
  const sealer = sealerFor(secret, purpose);
  return {
    seal: (state: FlowState): string => sealer.seal(state, purpose),
    /** Undefined for anything that was not sealed here. */
    open(text: string): FlowState | undefined {
      return text.length > MAX_CHARACTERS ? undefined : FlowState.safeParse(sealer.open(text, purpose)).data;
    },
  };
}
