import type { Resilience, ResilienceDeps, ServerResilience } from './resilience.ts';

/** Retries and circuits of this process. Their code is loaded with the first server that has either. */
export class ResilienceOnUse {
  readonly #deps: ResilienceDeps;
  #opening: Promise<Resilience> | undefined;
  #opened: Resilience | undefined;

  constructor(deps: ResilienceDeps) {
    this.#deps = deps;
  }

  open(): Promise<Resilience> {
    return (this.#opening ??= this.#load());
  }

  async #load(): Promise<Resilience> {
    const { Resilience } = await import('./resilience.ts');
    this.#opened = new Resilience(this.#deps);
    return this.#opened;
  }

  /** By server ID; servers that were not asked yet are missing. */
  states(): ReadonlyMap<string, ServerResilience> {
    return this.#opened?.states() ?? noStates;
  }

  /** A registration was changed or removed. */
  forget(serverId: string): void {
    this.#opened?.forget(serverId);
  }
}

const noStates: ReadonlyMap<string, ServerResilience> = new Map();
