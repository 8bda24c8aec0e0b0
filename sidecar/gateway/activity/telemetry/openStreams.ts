import type { Surface } from '../../routing/route.ts';

/** How many responses are on their way bit by bit. */
export class OpenStreams {
  readonly #counts = new Map<Surface, number>();

  /** A response begins. @param outgoing closes once, whoever ends it */
  opened(
    surface: Surface,
    outgoing: { readonly destroyed: boolean; once(event: 'close', listener: () => void): void },
  ) {
    if (outgoing.destroyed) return;
    this.#add(surface, 1);
    outgoing.once('close', () => this.#add(surface, -1));
  }

  counts(): ReadonlyMap<Surface, number> {
    return this.#counts;
  }

  #add(surface: Surface, by: number): void {
    this.#counts.set(surface, (this.#counts.get(surface) ?? 0) + by);
  }
}
