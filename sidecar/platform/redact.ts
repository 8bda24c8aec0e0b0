const SECRET_KEY = /token|secret|password|passwd|authorization|cookie|credential|api[-_]?key|^env$/i;
const SECRET_TEXT =
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|\b(?:sk|ghp|gho|github_pat|xox[abp])[-_][\w-]{12,}|:\/\/[^/\s:@]+:[^/\s@]+@/g;
const HIDDEN = '[hidden]';
const MAX_DEPTH = 6;

/** Knows the secrets that were handed to us, and takes them and whatever looks like one out of what is logged. */
export class Redactor {
  readonly #secrets = new Set<string>();

  /** Never log this text again. Shorter than 6 characters would blank out ordinary words, so it is not remembered. */
  hide(secret: string): void {
    if (secret.length >= 6) this.#secrets.add(secret);
  }

  text(text: string): string {
    let clean = text.replace(SECRET_TEXT, HIDDEN);
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, HIDDEN);
    return clean;
  }

  /** A copy that can be written as JSON; members with a name like a secret's are hidden whole. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') return `${value}`;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return '[deeper]';
    if (value instanceof Error) return this.#error(value, depth);
    if (Array.isArray(value)) return value.map((it) => this.value(it, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, it]) => [key, SECRET_KEY.test(key) ? HIDDEN : this.value(it, depth + 1)]),
    );
  }

  #error(error: Error, depth: number): object {
    const stack = error.stack ?? `${error.name}: ${error.message}`;
    return { stack: this.text(stack), ...(error.cause !== undefined && { cause: this.value(error.cause, depth + 1) }) };
  }
}
