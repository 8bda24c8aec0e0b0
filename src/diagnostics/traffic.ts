import type { Passed } from '../client/tap.ts';

/** A message as it is kept: its text is clean. */
export interface KeptMessage extends Pick<Passed, 'direction' | 'kind' | 'method'> {
  readonly number: number;
  readonly at: string;
  /** Empty for what names none. */
  readonly channel: string;
  readonly text: string;
}

export interface TrafficFilter {
  readonly direction?: Passed['direction'] | undefined;
  readonly channel?: string | undefined;
  readonly method?: string | undefined;
}

/** So many messages are kept in memory, each of at most so many characters. */
const MAX_MESSAGES = 500;
const MAX_CHARACTERS = 20_000;

/** The last messages between this window and its host, in memory only. */
export class Traffic {
  readonly #clean: (value: unknown) => string;
  readonly #now: () => string;
  #messages: KeptMessage[] = [];
  #count = 0;

  constructor(clean: (value: unknown) => string, now: () => string) {
    this.#clean = clean;
    this.#now = now;
  }

  add({ direction, kind, method, params, body }: Passed): void {
    this.#count += 1;
    const text = this.#clean(body);
    const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n…` : text;
    const channel = channelOf(params);
    this.#messages.push({ number: this.#count, at: this.#now(), direction, kind, method, channel, text: shown });
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
  }

  /** The newest first. */
  shown({ direction, channel, method }: TrafficFilter): readonly KeptMessage[] {
    const isShown = (it: KeptMessage) =>
      (direction === undefined || it.direction === direction) &&
      (channel === undefined || it.channel === channel) &&
      (method === undefined || it.method === method);
    return this.#messages.filter(isShown).reverse();
  }

  /** What there is to choose from, in the order of the alphabet. */
  values(member: 'channel' | 'method'): readonly string[] {
    return [...new Set(this.#messages.map((it) => it[member]))].filter((it) => it !== '').sort();
  }

  clear(): void {
    this.#messages = [];
  }
}

function channelOf(params: unknown): string {
  if (typeof params !== 'object' || params === null || !('channel' in params)) return '';
  return typeof params.channel === 'string' ? params.channel : '';
}
