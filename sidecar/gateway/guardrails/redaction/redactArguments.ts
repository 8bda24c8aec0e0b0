import { isRecord } from '../../../platform/isRecord.ts';
import { redactText, type Search } from './redactText.ts';

/** Deeper arguments are refused, because nobody looked at what is in there. */
const maxDepth = 64;
/** Smaller whole numbers are shorter than anything that is looked for. */
const smallestLong = 1e12;

export type RedactedArguments =
  /** The same object where nothing was found. */
  | { readonly arguments: Readonly<Record<string, unknown>> }
  /** `path` is as in `a.b[0]`; a name that itself holds what was found is not shown. */
  | { readonly blocked: { readonly kind: string; readonly path: string } }
  /** Too deep or too long to be looked at. */
  | { readonly refused: string };

/**
 * Looks at every text, at every long whole number and at every name.
 * A name cannot be rewritten without becoming another argument: what is found in one blocks the call.
 * @param maxCharacters of all names and texts together
 */
export function redactArguments(
  args: Readonly<Record<string, unknown>>,
  searches: readonly Search[],
  maxCharacters: number,
): RedactedArguments {
  try {
    const clean = new Walk(searches, maxCharacters).value(args, '', 0);
    return { arguments: clean as Record<string, unknown> };
  } catch (thrown) {
    if (thrown instanceof Stop) return thrown.outcome;
    throw thrown;
  }
}

/** Ends a walk early. Never leaves this file. */
class Stop extends Error {
  readonly outcome: RedactedArguments;
  constructor(outcome: RedactedArguments) {
    super('stopped');
    this.outcome = outcome;
  }
}

class Walk {
  readonly #searches: readonly Search[];
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(searches: readonly Search[], maxCharacters: number) {
    this.#searches = searches;
    this.#maxCharacters = maxCharacters;
  }

  value(value: unknown, path: string, depth: number): unknown {
    if (depth > maxDepth) throw new Stop({ refused: `The arguments are more than ${maxDepth} levels deep.` });
    if (typeof value === 'string') return this.#text(value, path);
    this.#count(0);
    if (typeof value === 'number') return this.#number(value, path);
    if (Array.isArray(value)) {
      const items = value.map((it, at) => this.value(it, `${path}[${at}]`, depth + 1));
      return items.some((it, at) => it !== value[at]) ? items : value;
    }
    return isRecord(value) ? this.#members(value, path, depth) : value;
  }

  #members(value: Record<string, unknown>, path: string, depth: number): Record<string, unknown> {
    const members = Object.entries(value).map(([name, it]) => {
      const within = `${path}${path === '' ? '' : '.'}${this.#name(name, path)}`;
      return [name, it, this.value(it, within, depth + 1)] as const;
    });
    if (members.every(([, it, clean]) => it === clean)) return value;
    return Object.fromEntries(members.map(([name, , clean]) => [name, clean]));
  }

  #name(name: string, path: string): string {
    this.#count(name.length);
    const found = this.#searches.find((it) => it.find(name).length > 0);
    if (!found) return name.slice(0, 64);
    throw new Stop({ blocked: { kind: found.kind, path: `${path}${path === '' ? '' : '.'}[a name]` } });
  }

  #text(text: string, path: string): string {
    this.#count(text.length);
    const redacted = redactText(text, this.#searches);
    if ('blocked' in redacted) throw new Stop({ blocked: { kind: redacted.blocked, path } });
    return redacted.text;
  }

  /** Card numbers are also sent as numbers. */
  #number(value: number, path: string): unknown {
    if (!Number.isSafeInteger(value) || value < smallestLong) return value;
    const text = this.#text(String(value), path);
    return text === String(value) ? value : text;
  }

  /** Every value counts for one, so that long lists of nothing end too. */
  #count(characters: number): void {
    this.#characters += characters + 1;
    if (this.#characters <= this.#maxCharacters) return;
    throw new Stop({ refused: `The arguments have more than ${this.#maxCharacters} characters.` });
  }
}
