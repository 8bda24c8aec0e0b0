/** One of several backends registered for the same server or agent. */
export interface TaggedBackend {
  readonly id: string;
  readonly tags?: readonly string[] | null | undefined;
}

/**
 * Tag-based routing (`gateway.header.tags.routing`): backends that share a tag with the call; else those tagged
 * `default` or not at all. Among them reachable ones come first, then the one with the fewest calls under way, then the
 * first registered.
 * @returns `undefined` where no backend is for this call
 */
export function chooseBackend<T extends TaggedBackend>(
  backends: readonly T[],
  tags: readonly string[],
  load: { readonly isReachable: (id: string) => boolean; readonly inFlight: (id: string) => number },
): T | undefined {
  const tagged = backends.filter((it) => it.tags?.some((tag) => tags.includes(tag)));
  const candidates = tagged.length > 0 ? tagged : backends.filter(isDefault);
  const reachable = candidates.filter((it) => load.isReachable(it.id));
  const chosen = reachable.length > 0 ? reachable : candidates;
  const least = Math.min(...chosen.map((it) => load.inFlight(it.id)));
  return chosen.find((it) => load.inFlight(it.id) === least);
}

const isDefault = ({ tags }: TaggedBackend) => !tags || tags.length === 0 || tags.includes('default');
