import { errors } from 'undici';

/** Receives a response as it is read. */
export interface ResponseParts {
  /** @param headers names in lower case; a list for those that appear more than once */
  head(status: number, headers: Headers): void;
  /** A part of the body, without its chunk framing. */
  data(bytes: Buffer): void;
  end(): void;
}

type Headers = Readonly<Record<string, string | string[]>>;

/** A head that was read and found to be valid. */
interface Head {
  readonly text: string;
  /** In the order of the message. */
  readonly fields: readonly Field[];
  readonly status: number;
  readonly headers: Headers;
  readonly canReuse: boolean;
  readonly keepAliveMs: number | undefined;
}
/** A line, and the header that it contains. */
interface Field {
  readonly line: string;
  readonly name: string;
  readonly value: string;
}

/** The last head of an origin. A server sends nearly the same one again and again: what did not change is not read again. */
export interface LastHead {
  head: Head | undefined;
}

type State = 'head' | 'counted' | 'until close' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'over';

/** For a head, for the trailers, and for all informational responses together. */
const MAX_HEAD_BYTES = 32_768;
/** No long head is kept. */
const MAX_KEPT_HEAD = 4_096;
/** For a chunk size and its extensions. */
const MAX_SIZE_LINE_BYTES = 1_024;

/**
 * Reads one HTTP/1.1 response (RFC 9112) from the bytes of a connection. It is strict: if two parsers could disagree about where a
 * message ends, the connection fails. Informational responses are skipped. Trailers are checked and discarded.
 */
export class ResponseReader {
  readonly #parts: ResponseParts;
  readonly #last: LastHead;
  #state: State = 'head';
  /** The beginning of a line or head whose end has not arrived. */
  #held: Buffer | undefined;
  /** Bytes of the body or of the chunk that have not arrived. */
  #left = 0;
  /** Bytes of informational responses. */
  #skipped = 0;
  /** Parts of the body that arrived together. A part for each tiny chunk would take a hundred times the memory of its bytes. */
  #pieces: Buffer[] = [];
  #isReusable = false;
  #keepAliveMs: number | undefined;

  /** @param last of the same origin */
  constructor(parts: ResponseParts, last: LastHead = { head: undefined }) {
    this.#parts = parts;
    this.#last = last;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }
  /** The connection can carry another exchange after this one. */
  get isReusable(): boolean {
    return this.#isReusable;
  }
  /** How long the server keeps an idle connection open; `undefined` if the response does not state that. */
  get keepAliveMs(): number | undefined {
    return this.#keepAliveMs;
  }

  /** @throws {Error} if the bytes are not an HTTP/1.1 response, or if other bytes follow the response */
  read(arrived: Buffer): void {
    let bytes = arrived;
    if (this.#held) {
      bytes = Buffer.concat([this.#held, arrived]);
      this.#held = undefined;
    }
    let at = 0;
    try {
      while (at < bytes.length) {
        const next = this.#step(bytes, at);
        if (next < 0) {
          this.#held = bytes.subarray(at);
          break;
        }
        at = next;
      }
    } finally {
      this.#pass(); // also what came before a fault, however the network split the bytes
    }
  }

  /** The server closed the connection. That ends a body that has neither a length nor chunks. */
  closed(): void {
    if (this.#state === 'until close') this.#end();
  }

  /** @returns the position after what was read; -1 if more bytes are required */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes, at);
      case 'counted':
      case 'chunk':
        return this.#body(bytes, at);
      case 'until close':
        this.#pieces.push(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      case 'chunk size':
        return this.#chunkSize(bytes, at);
      case 'chunk end':
        return this.#chunkEnd(bytes, at);
      case 'trailers':
        return this.#trailers(bytes, at);
      case 'over':
        throw garbled('bytes follow the response');
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if ((end < 0 ? bytes.length : end) - at > MAX_HEAD_BYTES) throw new errors.HeadersOverflowError();
    if (end < 0) return -1;
    const head = headOf(bytes.toString('latin1', at, end), this.#last.head);
    if (head.text.length <= MAX_KEPT_HEAD) this.#last.head = head;
    const { status, headers } = head;
    if (status === 101) throw garbled('the protocol was switched');
    if (status < 200) {
      this.#skipped += end + 4 - at;
      if (this.#skipped > MAX_HEAD_BYTES) throw new errors.HeadersOverflowError();
      return end + 4;
    }
    this.#isReusable = head.canReuse;
    this.#keepAliveMs = head.keepAliveMs;
    this.#frame(status, headers);
    this.#parts.head(status, headers);
    if (this.#state === 'counted' && this.#left === 0) this.#end();
    return end + 4;
  }

  /** How the end of the body is found (RFC 9112, 6.3). */
  #frame(status: number, headers: Headers): void {
    const coding = headers['transfer-encoding'];
    const length = headers['content-length'];
    if (coding !== undefined && length !== undefined) throw garbled('it has two lengths');
    if (length !== undefined && (typeof length !== 'string' || !/^\d{1,15}$/.test(length)))
      throw garbled('its length is not a number');
    if (coding !== undefined && (typeof coding !== 'string' || coding.toLowerCase() !== 'chunked'))
      throw garbled('its transfer coding is unknown');
    this.#state = 'counted';
    if (status === 204 || status === 304) this.#left = 0;
    else if (coding !== undefined) this.#state = 'chunk size';
    else if (length !== undefined) this.#left = Number(length);
    else this.#state = 'until close';
    if (this.#state === 'until close') this.#isReusable = false;
  }

  #body(bytes: Buffer, at: number): number {
    const to = Math.min(bytes.length, at + this.#left);
    this.#left -= to - at;
    const isLast = this.#left === 0;
    this.#pieces.push(at === 0 && to === bytes.length ? bytes : bytes.subarray(at, to));
    if (isLast && this.#state === 'counted') this.#end();
    else if (isLast) this.#state = 'chunk end';
    return to;
  }

  #chunkSize(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n', at, 'latin1');
    if ((end < 0 ? bytes.length : end) - at > MAX_SIZE_LINE_BYTES) throw garbled('a chunk size is too long');
    if (end < 0) return -1;
    const [, size] = sizePattern.exec(bytes.toString('latin1', at, end)) ?? [];
    if (size === undefined) throw garbled('a chunk size is not a number');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    return end + 2;
  }

  #chunkEnd(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return -1;
    if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) throw garbled('a chunk is longer than its size');
    this.#state = 'chunk size';
    return at + 2;
  }

  #trailers(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return -1;
    if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) {
      this.#end();
      return at + 2;
    }
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if ((end < 0 ? bytes.length : end) - at > MAX_HEAD_BYTES) throw new errors.HeadersOverflowError();
    if (end < 0) return -1;
    readFields(bytes.toString('latin1', at, end).split('\r\n'));
    this.#end();
    return end + 4;
  }

  #pass(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    this.#pieces = [];
    this.#parts.data(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  }

  #end(): void {
    this.#pass();
    this.#state = 'over';
    this.#parts.end();
  }
}

/** @param last the head before it: the same text is the same head, and the same line in the same place the same field */
function headOf(text: string, last: Head | undefined): Head {
  if (last?.text === text) return last;
  const lines = text.split('\r\n');
  const [, version, status] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(lines[0] ?? '') ?? [];
  if (version === undefined || status === undefined) throw garbled('its first line is not a status line');
  const fields = readFields(lines.slice(1), last?.fields);
  const headers = headersOf(fields);
  return {
    text,
    fields,
    status: Number(status),
    headers,
    canReuse: version === '1' && !tokensOf(headers['connection']).includes('close'),
    keepAliveMs: keepAliveOf(headers['keep-alive']),
  };
}

/** Extensions (RFC 9112, 7.1.1) are ignored. */
const sizePattern =
  /^([0-9a-f]{1,8})(?:;[!#$%&'*+\-.^_`|~0-9a-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9a-z]+|"[\t !#-[\]-~]*"))?)*$/i;

const fieldPattern = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;

function readFields(lines: readonly string[], last: readonly Field[] = []): readonly Field[] {
  return lines.map((line, at) => {
    const known = last[at];
    return known?.line === line ? known : readField(copyOf(line));
  });
}

/** A part of a text keeps the whole text in memory, so a line that stays the same would keep the head that it was first in. */
const copyOf = (line: string): string => Buffer.from(line, 'latin1').toString('latin1');

function readField(line: string): Field {
  const [, given, spaced] = fieldPattern.exec(line) ?? [];
  if (given === undefined || spaced === undefined) throw garbled('a header is malformed');
  const name = given.toLowerCase();
  // Some parsers do not recognize a coding that is followed by white space.
  if (name === 'transfer-encoding' && isBlank(spaced, spaced.length - 1))
    throw garbled('its transfer coding is unknown');
  return { line, name, value: withoutBlanks(spaced) };
}

function headersOf(fields: readonly Field[]): Headers {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const { name, value } of fields) {
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  return Object.freeze(headers);
}

const isBlank = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';

/** Not a regular expression: the time that one takes grows with the square of the number of blanks. */
function withoutBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text, from)) from += 1;
  while (to > from && isBlank(text, to - 1)) to -= 1;
  return text.slice(from, to);
}

const tokensOf = (value: string | string[] | undefined): readonly string[] =>
  value === undefined
    ? []
    : String(value)
        .toLowerCase()
        .split(/[\t ,]+/);

/** `Keep-Alive: timeout=5`, in seconds. */
function keepAliveOf(value: string | string[] | undefined): number | undefined {
  const [, seconds] = (value !== undefined && /timeout=\s*(\d{1,6})/i.exec(String(value))) || [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

const garbled = (why: string): Error =>
  Object.assign(new errors.HTTPParserError(`The response is not valid HTTP/1.1: ${why}.`), { code: 'HPE_INVALID' });
