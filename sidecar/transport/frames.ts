import { Buffer } from 'node:buffer';

export interface FrameLimits {
  /** Longest block of headers, terminator included. */
  readonly maxHeaderBytes: number;
  /** Largest body; a larger `Content-Length` loses the framing. */
  readonly maxBodyBytes: number;
}
export const defaultFrameLimits: FrameLimits = { maxHeaderBytes: 4096, maxBodyBytes: 32 * 1024 * 1024 };

/** What a chunk completed: whole bodies in order, and after them at most one reason why nothing more can be read. */
export interface Decoded {
  readonly bodies: readonly Buffer[];
  readonly lost?: string;
}

/**
 * Cuts a stream of bytes into the bodies of `Content-Length` frames (the base protocol of LSP 3.17).
 *
 * Strict where the framing depends on it: once a header cannot be trusted, nobody knows where the next message begins,
 * so the decoder says why and reads nothing more. Holds at most `maxHeaderBytes + maxBodyBytes` and one chunk.
 */
export class FrameDecoder {
  readonly #limits: FrameLimits;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Length of the body that is being read, or undefined while headers are. */
  #bodyBytes: number | undefined;
  #isLost = false;

  constructor(limits: Partial<FrameLimits> = {}) {
    this.#limits = { ...defaultFrameLimits, ...limits };
  }

  /** True when the bytes so far end between two messages. */
  get isBetweenFrames(): boolean {
    return this.#heldBytes === 0 && this.#bodyBytes === undefined;
  }

  push(chunk: Buffer): Decoded {
    if (this.#isLost) return { bodies: [] };
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    const bodies: Buffer[] = [];
    for (;;) {
      if (this.#bodyBytes === undefined) {
        const lost = this.#readHeaders();
        if (lost !== undefined) {
          this.#isLost = true;
          this.#held = [];
          return { bodies, lost };
        }
        if (this.#bodyBytes === undefined) return { bodies };
      }
      if (this.#heldBytes < this.#bodyBytes) return { bodies };
      bodies.push(this.#take(this.#bodyBytes));
      this.#bodyBytes = undefined;
    }
  }

  /** @returns why the framing is lost; otherwise `#bodyBytes` is set as soon as the headers are complete */
  #readHeaders(): string | undefined {
    if (this.#heldBytes === 0) return undefined;
    const head = this.#joined();
    const plain = readPlainHeader(head);
    if (plain !== undefined && plain.length <= this.#limits.maxBodyBytes) {
      this.#take(plain.end);
      this.#bodyBytes = plain.length;
      return undefined;
    }
    // A letter begins every header; anything else (a raw JSON line) will never become one, so do not wait for more.
    if (!isLetter(head[0]!)) return 'a message must begin with a Content-Length header';
    const { maxHeaderBytes, maxBodyBytes } = this.#limits;
    const end = head.subarray(0, maxHeaderBytes).indexOf('\r\n\r\n');
    const text = head.toString('latin1', 0, end >= 0 ? end : Math.min(head.length, maxHeaderBytes));
    if (/(?<!\r)\n/.test(text)) return 'a header line must end with CR LF';
    if (end < 0)
      return head.length >= maxHeaderBytes ? `the headers are longer than ${maxHeaderBytes} bytes` : undefined;
    const length = parseHeaders(text, maxBodyBytes);
    if (typeof length === 'string') return length;
    this.#take(end + 4);
    this.#bodyBytes = length;
    return undefined;
  }

  #joined(): Buffer {
    if (this.#held.length !== 1) this.#held = [Buffer.concat(this.#held)];
    return this.#held[0]!;
  }

  #take(bytes: number): Buffer {
    const all = this.#joined();
    this.#heldBytes -= bytes;
    this.#held = this.#heldBytes === 0 ? [] : [all.subarray(bytes)];
    return all.subarray(0, bytes);
  }
}

const PLAIN = Buffer.from('Content-Length: ');
const [ZERO, NINE, CR, LF] = [0x30, 0x39, 0x0d, 0x0a];
/** More digits than any length that is taken has. */
const MAX_DIGITS = 12;

/** The header as nearly every peer writes it; `undefined` for any other, which is then read with care. */
function readPlainHeader(head: Buffer): { readonly length: number; readonly end: number } | undefined {
  if (head.length < PLAIN.length + 5 || head.compare(PLAIN, 0, PLAIN.length, 0, PLAIN.length) !== 0) return undefined;
  let at = PLAIN.length;
  let length = 0;
  for (; at < PLAIN.length + MAX_DIGITS; at += 1) {
    const byte = head[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
    length = length * 10 + (byte - ZERO);
  }
  const isEnd = head[at] === CR && head[at + 1] === LF && head[at + 2] === CR && head[at + 3] === LF;
  return isEnd && at > PLAIN.length ? { length, end: at + 4 } : undefined;
}

/** @returns the length of the body in bytes, or what is wrong with the headers */
function parseHeaders(text: string, maxBodyBytes: number): number | string {
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (!match) return 'a header does not have the form "name: value"';
    const name = match[1]!.toLowerCase();
    if (headers.has(name)) return `the header ${name} appears more than once`;
    headers.set(name, match[2]!);
  }
  const type = headers.get('content-type');
  const charset = type === undefined ? undefined : /charset=["']?([^"';\s]+)/i.exec(type)?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) return 'Content-Type must specify the charset utf-8';
  const length = headers.get('content-length');
  if (length === undefined) return 'the header Content-Length is missing';
  if (!/^[0-9]+$/.test(length)) return 'Content-Length must be a whole number of bytes, 0 or more';
  return Number(length) > maxBodyBytes ? `Content-Length exceeds the limit of ${maxBodyBytes} bytes` : Number(length);
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}

/** @param bytes length of the body */
export function frameHeader(bytes: number): string {
  return `Content-Length: ${bytes}\r\n\r\n`;
}
