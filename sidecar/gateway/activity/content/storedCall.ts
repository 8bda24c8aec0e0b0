import type { CallContent } from '../../auth/callContent.ts';
import type { CallContentRow } from '../../storage/database/activityTables.ts';
import { writable } from '../recording.ts';

/**
 * Beyond the limit: what begins before the limit and goes on behind it can be recognized as a secret. It is never stored.
 */
const MARGIN = 4_096;
/** A run of characters as keys have them, cut at its end: nobody can tell what it is. */
const openEnd = /[\w.~+/=-]{24,}$/;
/** Shorter ones are ordinary words. */
const MIN_HIDDEN = 6;
const MAX_HIDDEN = 64;

interface Deps {
  readonly maxBytes: number;
  /** Asks for memory. @returns false where there is no more */
  hold(bytes: number): boolean;
  release(bytes: number): void;
  ended(call: StoredCall): void;
  /** There was no memory left for this call. */
  dropped(): void;
}

/** One side of a call, up to its limit. */
class Side {
  pieces: Buffer[] = [];
  held = 0;
  /** Of the whole. */
  bytes = 0;
}

/** What is held of one call until it is written. */
export class StoredCall implements CallContent {
  readonly #deps: Deps;
  readonly #hidden = new Set<string>();
  #request = new Side();
  #response = new Side();
  #requestId = '';
  #endedMs = 0;
  #isOver = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get hidden(): Iterable<string> {
    return this.#hidden;
  }

  request(piece: Uint8Array | string): void {
    this.#add(this.#request, piece);
  }

  response(piece: Uint8Array | string): void {
    this.#add(this.#response, piece);
  }

  forgetRequest(): void {
    this.#deps.release(this.#request.held);
    this.#request = new Side();
  }

  hide(secret: string): void {
    if (secret.length >= MIN_HIDDEN && this.#hidden.size < MAX_HIDDEN) this.#hidden.add(secret);
  }

  /** The call is over. Only the first time counts. */
  end(requestId: string, endedMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#requestId = requestId;
    this.#endedMs = endedMs;
    if (this.#request.bytes > 0 || this.#response.bytes > 0) this.#deps.ended(this);
  }

  /** Its memory is free again. */
  release(): void {
    this.#deps.release(this.#request.held + this.#response.held);
    this.#request = new Side();
    this.#response = new Side();
  }

  /** @param clean takes secrets out of a text */
  row(clean: (text: string) => string): CallContentRow {
    const request = this.#stored(this.#request, clean);
    const response = this.#stored(this.#response, clean);
    return {
      request_id: this.#requestId,
      at_ms: this.#endedMs,
      request: request.text,
      response: response.text,
      request_bytes: this.#request.bytes,
      response_bytes: this.#response.bytes,
      request_cut: Number(request.isCut),
      response_cut: Number(response.isCut),
    };
  }

  #add(side: Side, piece: Uint8Array | string): void {
    if (this.#isOver) return;
    side.bytes += Buffer.byteLength(piece);
    const left = this.#deps.maxBytes + MARGIN - side.held;
    if (left <= 0) return;
    // A copy: a piece of a large buffer would keep all of it in memory.
    const bytes = typeof piece === 'string' ? Buffer.from(piece.slice(0, left)) : Buffer.from(piece.subarray(0, left));
    const kept = bytes.length > left ? bytes.subarray(0, left) : bytes;
    if (!this.#deps.hold(kept.length)) return this.#drop();
    side.held += kept.length;
    side.pieces.push(kept);
  }

  #drop(): void {
    this.release();
    this.#isOver = true;
    this.#deps.dropped();
  }

  #stored({ pieces, held, bytes }: Side, clean: (text: string) => string): { text: string | null; isCut: boolean } {
    if (bytes === 0) return { text: null, isCut: false };
    const { maxBytes } = this.#deps;
    const isOpen = bytes > held;
    const text = clean(Buffer.concat(pieces).toString('utf8'));
    const whole = isOpen ? text.slice(0, -MARGIN).replace(openEnd, '') : text;
    const stored = Buffer.byteLength(whole) <= maxBytes ? whole : cut(whole, maxBytes);
    return { text: writable(stored), isCut: isOpen || stored !== whole };
  }
}

/** At most so many bytes of a text, without half a character. */
const cut = (text: string, maxBytes: number): string =>
  Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
    .replace(openEnd, '');
