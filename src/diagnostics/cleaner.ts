import { Redactor } from '../../sidecar/platform/redact.ts';

/** Members whose texts may hold a secret that looks like any other word. */
const HIDDEN_MEMBERS = new Set(['args', 'environment', 'headers']);

/** Makes what a person may hand on: without secrets, and without the name of their home folder. */
export class Cleaner {
  readonly #redactor = new Redactor();
  readonly #home: string;

  /** @param home the absolute path of the person's home folder */
  constructor(home: string) {
    this.#home = home;
  }

  /** What the secret storage holds: a text, or JSON whose texts are the secrets. */
  hide(stored: string): void {
    this.#redactor.hide(stored);
    try {
      this.#hideWithin(JSON.parse(stored));
    } catch {
      // Not JSON: the text itself is the secret.
    }
  }

  text(text: string): string {
    const clean = this.#redactor.text(text);
    return this.#home.length > 1 ? clean.replaceAll(this.#home, '~') : clean;
  }

  /** As indented JSON. */
  json(value: unknown): string {
    return this.text(JSON.stringify(this.#redactor.value(withoutHidden(value)), undefined, 2) ?? 'undefined');
  }

  /** A line of a log, which is JSON where a logger wrote it. */
  logLine(line: string): string {
    try {
      return this.text(JSON.stringify(this.#redactor.value(withoutHidden(JSON.parse(line)))));
    } catch {
      return this.text(line);
    }
  }

  #hideWithin(value: unknown): void {
    if (typeof value === 'string') this.#redactor.hide(value);
    else if (typeof value === 'object' && value !== null) for (const it of Object.values(value)) this.#hideWithin(it);
  }
}

function withoutHidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHidden);
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [key, HIDDEN_MEMBERS.has(key) ? '[hidden]' : withoutHidden(it)]),
  );
}
