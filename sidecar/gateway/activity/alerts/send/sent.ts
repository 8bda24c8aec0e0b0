/** What became of an attempt. */
export type Sent =
  | { readonly isSent: true }
  | {
      readonly isSent: false;
      /** In words, without addresses and without secrets. */
      readonly error: string;
      /** Another attempt would end in the same way. */
      readonly isFinal: boolean;
    };

export const sent: Sent = { isSent: true };
export const notSent = (error: string, isFinal = false): Sent => ({ isSent: false, error, isFinal });

/** How long a receiver may take. */
export const SEND_MS = 10_000;
