/** What an answer shows for itself: the request that it means, and the one-time id that a person was shown it with. */
export interface AnswerClaim {
  readonly key: string;
  readonly id: string;
}

/**
 * One-time ids of the answers that a window offers. Any extension may run our commands and may know the key of a request;
 * only the notification and the row that a person sees carry the id (security.foreign-answers).
 */
export class AnswerIds {
  readonly #ids = new Map<string, string>();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** The id for what is shown now. It stays the same until it is used, so that nothing is drawn again because of it. */
  of(key: string): string {
    let id = this.#ids.get(key);
    if (id === undefined) this.#ids.set(key, (id = this.#newId()));
    return id;
  }

  isGood({ key, id }: AnswerClaim): boolean {
    return this.#ids.get(key) === id;
  }

  /** Whether the claim was good. It is not a second time. */
  spend(claim: AnswerClaim): boolean {
    return this.isGood(claim) && this.#ids.delete(claim.key);
  }

  /** What waits no longer needs no id. */
  keepOnly(keys: readonly string[]): void {
    const kept = new Set(keys);
    for (const it of this.#ids.keys()) if (!kept.has(it)) this.#ids.delete(it);
  }
}

/** The argument of a command, which may come from anybody: a key alone, or a row or a link with key and id. */
export function claimOf(argument: unknown): AnswerClaim {
  if (typeof argument === 'string') return { key: argument, id: '' };
  if (typeof argument !== 'object' || argument === null) return { key: '', id: '' };
  const { key, id } = argument as { readonly key?: unknown; readonly id?: unknown };
  return { key: typeof key === 'string' ? key : '', id: typeof id === 'string' ? id : '' };
}
