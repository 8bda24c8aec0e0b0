/** Seconds for which a verifier may keep the JWKS, for keys that the gateway made itself. */
export const generatedMaxAgeSeconds = 300;
/** How often a replica looks whether another one has rotated. */
export const reloadMs = 30_000;

const slackMs = 60_000;
/** Until then somebody may not have seen a new key: caches, and replicas that have not looked yet. */
const leadMs = generatedMaxAgeSeconds * 1000 + reloadMs + slackMs;
/** The longest life of a token, and once more the age of caches. */
const lingerMs = 300_000 + generatedMaxAgeSeconds * 1000 + slackMs;

/** What each key is for at a time. */
export interface Phases<K> {
  readonly signing: K;
  /** Newest first. */
  readonly published: readonly K[];
}

/**
 * A new key is published first and signs when everybody can know it; the one before stays published until its last token
 * is over. An only key signs at once.
 * @param keys oldest first, at least one
 */
export function phasesOf<K extends { readonly createdMs: number }>(
  keys: readonly [K, ...K[]],
  nowMs: number,
): Phases<K> {
  const signing = keys.findLast((it) => it.createdMs + leadMs <= nowMs) ?? keys[0];
  const published = keys.filter((_key, at) => {
    const next = keys[at + 1];
    return next === undefined || nowMs < next.createdMs + leadMs + lingerMs;
  });
  return { signing, published: published.toReversed() };
}
