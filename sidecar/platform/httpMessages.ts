/** What handlers read of a request. A web `Request` is one. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute; its host is the one that the caller used. */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** Fires when the caller leaves before the answer is written. */
  readonly signal: AbortSignal;
  /** The controller of {@link signal}, for whoever ends the work of a request for another reason too. */
  readonly canceller?: AbortController;
  /** For work that continues without its caller: called instead of aborting {@link signal} when the caller disconnects early. */
  onCut?: ((canceller: AbortController) => void) | undefined;
  /** As it comes; `null` where the method has none. Read once, here or by {@link text}. */
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
  json(): Promise<unknown>;
  bytes(): Promise<Uint8Array>;
}

/** Headers by their names, in any case. */
export interface RequestHeaders extends Iterable<readonly [name: string, value: string] | [string, string]> {
  /** Repeated ones are joined by a comma. */
  get(name: string): string | null;
}

/** What a handler answers. A web `Response` is one. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

export interface ResponseHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
  set(name: string, value: string): void;
  has(name: string): boolean;
}

abstract class PlainResponse implements HttpResponse {
  readonly status: number;
  readonly headers: TextHeaders;
  abstract readonly body: ReadableStream<Uint8Array> | null;

  /** @param headers names in lower case */
  constructor(status: number, headers: Readonly<Record<string, string>>) {
    this.status = status;
    this.headers = new TextHeaders(headers);
  }

  text(): Promise<string> {
    return new Response(this.body).text();
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** A response whose whole text is known. It is written at once, without a stream. */
export class TextResponse extends PlainResponse {
  /** The whole body. */
  readonly written: string;

  /** @param headers names in lower case */
  constructor(written: string, status: number, headers: Readonly<Record<string, string>>) {
    super(status, headers);
    this.written = written;
  }

  /** @throws {TypeError} for what is no JSON */
  static json(value: unknown, status = 200): TextResponse {
    return new TextResponse(JSON.stringify(value), status, { 'content-type': 'application/json' });
  }

  get body(): ReadableStream<Uint8Array> | null {
    return new Response(this.written).body;
  }
  override text(): Promise<string> {
    return Promise.resolve(this.written);
  }
}

/** Receives bytes, without a promise for each chunk. */
export interface FlowReader {
  /** @returns false to pause, until the function that {@link ByteFlow.flow} returned is called */
  chunk(bytes: Uint8Array): boolean;
  end(): void;
  fail(thrown: unknown): void;
}

/** A source of bytes for one reader. */
export interface ByteFlow {
  /** @returns a function that resumes a paused flow */
  flow(reader: FlowReader): () => void;
  /** Stops the source when the bytes are no longer needed. */
  destroy(): void;
}

/** A response whose bytes go straight to the caller's connection, without a web stream between. */
export class FlowResponse extends PlainResponse {
  readonly source: ByteFlow;

  /** @param headers names in lower case */
  constructor(source: ByteFlow, status: number, headers: Readonly<Record<string, string>>) {
    super(status, headers);
    this.source = source;
  }

  get body(): ReadableStream<Uint8Array> {
    const { source } = this;
    let resume = (): void => undefined;
    return new ReadableStream<Uint8Array>({
      start(controller) {
        resume = source.flow({
          chunk(bytes) {
            controller.enqueue(bytes);
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => controller.close(),
          fail: (thrown) => controller.error(thrown),
        });
      },
      pull: () => resume(),
      cancel: () => source.destroy(),
    });
  }
}

/** Each name once. They are few: looking through them takes less than an index does. */
class TextHeaders implements ResponseHeaders {
  /** Names and values in turn, as `node:http` takes them. */
  readonly all: string[] = [];

  constructor(all: Readonly<Record<string, string>>) {
    for (const name in all) this.all.push(name, all[name] as string);
  }
  get(name: string): string | null {
    return this.all[this.#placeOf(name) + 1] ?? null;
  }
  set(name: string, value: string): void {
    const at = this.#placeOf(name);
    if (at < this.all.length) this.all[at + 1] = value;
    else this.all.push(name.toLowerCase(), value);
  }
  has(name: string): boolean {
    return this.#placeOf(name) < this.all.length;
  }
  *[Symbol.iterator](): Iterator<[string, string]> {
    for (let at = 0; at < this.all.length; at += 2) yield [this.all[at] as string, this.all[at + 1] as string];
  }

  /** Behind the end for one that is not there. */
  #placeOf(name: string): number {
    const lower = name.toLowerCase();
    let at = 0;
    while (at < this.all.length && this.all[at] !== lower) at += 2;
    return at;
  }
}

/** Packed bytes cannot be looked into. @param headers by their names in lower case */
export const isPacked = ({
  headers,
}: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity';
