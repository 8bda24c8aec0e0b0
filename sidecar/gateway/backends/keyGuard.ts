/** Whether a text holds a virtual key of the gateway. Such a text leaves for no backend and no identity provider. */
export type HoldsKey = (text: string) => boolean;

/**
 * Looks for the keys that authenticated a call: anywhere in the text, percent-encoded, and inside Basic credentials.
 * @param keys in clear text, as the caller sent them; kept no longer than the call
 */
export function keyGuard(keys: readonly string[]): HoldsKey {
  const known = keys.filter((it) => it !== '');
  if (known.length === 0) return () => false;
  const holds = (text: string) => known.some((it) => text.includes(it));
  return (text) => holds(text) || holds(percentDecoded(text)) || basicPayloads(text).some(holds);
}

/** For calls without a key (loopback, one user). */
export const noKeys: HoldsKey = () => false;

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (it) => Buffer.from(it.replaceAll('%', ''), 'hex').toString('latin1'));
}

function basicPayloads(text: string): readonly string[] {
  return [...text.matchAll(/\bbasic\s+([\w+/=-]+)/gi)].map(([, it]) => Buffer.from(it ?? '', 'base64').toString());
}
