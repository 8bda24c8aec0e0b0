import { isIPv6 } from 'node:net';
import { BoundedMap } from '../../platform/boundedMap.ts';
import type { Clock } from '../../platform/clock.ts';

const MINUTE_MS = 60_000;
/** Addresses that are remembered at a time; the one that tried longest ago is forgotten first. */
const KEPT = 10_000;

/**
 * How often each source address may try something that anybody may try: so many times at once, and then evenly so many a minute.
 * An address of IPv6 stands for its /64, which one machine has to itself.
 */
export class Attempts {
  readonly #perMinute: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #sources = new BoundedMap<string, { readonly remaining: number; readonly atMs: number }>(KEPT);

  constructor(perMinute: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Milliseconds until the next one; 0 where it may be made now. */
  waitMs(address: string): number {
    const remaining = this.#remaining(sourceOf(address));
    return remaining >= 1 ? 0 : Math.ceil(((1 - remaining) * MINUTE_MS) / this.#perMinute);
  }

  /** One was made. */
  count(address: string): void {
    const source = sourceOf(address);
    const remaining = Math.max(0, this.#remaining(source) - 1);
    this.#sources.set(source, { remaining, atMs: this.#clock.monotonicMs() });
  }

  #remaining(source: string): number {
    const known = this.#sources.get(source);
    if (!known) return this.#perMinute;
    const passed = this.#clock.monotonicMs() - known.atMs;
    return Math.min(this.#perMinute, known.remaining + (passed * this.#perMinute) / MINUTE_MS);
  }
}

function sourceOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const canonical = new URL(`http://[${address.split('%')[0] ?? ''}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail ?? '')].slice(0, 4).join(':');
}
