const SECRET_KEY =
  /token|secret|password|passwd|passphrase|authorization|cookie|credential|(?:api|access|private|subscription)[-_]?key|[-_]pass$|^(?:pass|pwd|env)$/i;
const SECRET_TEXT =
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|\b(?:sk|swb|ghp|gho|github_pat|xox[abp])[-_][\w-]{12,}|:\/\/[^/\s:@]+:[^/\s@]+@/g;
/** What stands in place of a secret. */
export const HIDDEN = '[hidden]';
const MAX_DEPTH = 6;
const MIN_LENGTH = 6;

/** Whether what stands under this name is a secret, whatever it looks like. */
export function namesSecret(key: string): boolean {
  return SECRET_KEY.test(key);
}

/** The secrets that were handed to us, and the way to take exactly those out of anything. */
export class KnownSecrets {
  readonly #secrets = new Set<string>();

  /** From now on this text is taken out. Shorter than 6 characters is ordinary words, so it is not remembered. */
  hide(secret: string): void {
    if (secret.length >= MIN_LENGTH) this.#secrets.add(secret);
  }

  text(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, HIDDEN);
    return clean;
  }

  /** The same value where no string in it holds a secret, otherwise a copy without. For plain data only. */
  within<T>(value: T): T {
    return this.#secrets.size === 0 ? value : (this.#copy(value) as T);
  }

  /** How many characters at the end of `text` may be the beginning of a secret whose rest is still to come. */
  openEnd(text: string): number {
    let longest = 0;
    for (const secret of this.#secrets) {
      for (let n = Math.min(secret.length - 1, text.length); n > longest; n -= 1) {
        if (text.endsWith(secret.slice(0, n))) longest = n;
      }
    }
    return longest;
  }

  #copy(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((it) => this.#copy(it));
      return items.some((it, at) => it !== value[at]) ? items : value;
    }
    const members = Object.entries(value).map(([key, it]) => [key, it, this.#copy(it)] as const);
    if (members.every(([, it, clean]) => it === clean)) return value;
    return Object.fromEntries(members.map(([key, , clean]) => [key, clean]));
  }
}

/** Takes known secrets, and whatever looks like one, out of what is logged. */
export class Redactor {
  readonly #known = new KnownSecrets();

  /** Never log this text again. */
  hide(secret: string): void {
    this.#known.hide(secret);
  }

  text(text: string): string {
    return this.#known.text(text.replace(SECRET_TEXT, HIDDEN));
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

  /** What was raised on purpose, or comes from a socket, is logged by its message: a stack is for bugs. */
  #error(error: Error, depth: number): object {
    const code = 'code' in error && /^[A-Z][A-Z_0-9]+$/.test(String(error.code)) ? String(error.code) : undefined;
    if ('isExpected' in error || code !== undefined) {
      const cause = error.cause === undefined ? {} : { cause: this.value(error.cause, depth + 1) };
      return { ...(code !== undefined && { code }), message: this.text(error.message), ...cause };
    }
    const stack = error.stack ?? `${error.name}: ${error.message}`;
    return { stack: this.text(stack), ...(error.cause !== undefined && { cause: this.value(error.cause, depth + 1) }) };
  }
}
