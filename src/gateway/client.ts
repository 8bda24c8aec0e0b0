import * as z from 'zod';
import type { Localizer } from '../platform/localizer.ts';
import type { GatewayAddress } from './door.ts';
import { GatewayError } from './gatewayError.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request; `path` begins with a slash and may hold a query. */
export interface Ask {
  readonly method: Method;
  readonly path: string;
  /** Becomes JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}
export interface Answer {
  readonly status: number;
  /** Read from JSON; the text itself where it is none. */
  readonly body: unknown;
  /** The header `Date`. */
  readonly date: string | undefined;
}

export interface ClientDeps {
  readonly door: { address(): Promise<GatewayAddress>; forget(): void };
  readonly l10n: Localizer;
}

const ErrorBody = z.object({ error: z.object({ message: z.string(), param: z.string().nullish() }) });

/** The management API of our own gateway. The key goes into one header and is in no error. */
export class GatewayClient {
  readonly #deps: ClientDeps;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  /** @throws {GatewayError} for what the gateway refused, or an answer that is none */
  async send<T>(method: Method, path: string, body: unknown, schema: z.ZodType<T>): Promise<T> {
    return this.#judged(await this.ask({ method, path, ...(body !== undefined && { body }) }), path, schema);
  }

  /** @throws {GatewayError} as {@link send} */
  async get<T>(path: string, query: Query, schema: z.ZodType<T>): Promise<T> {
    return this.#judged(await this.ask({ method: 'GET', path: withQuery(path, query) }), path, schema);
  }

  /**
   * The answer as it is. A gateway that is gone, or does not know our key any more, is found again once.
   * @throws {GatewayError} where there is no answer; what `signal` says
   */
  async ask(request: Ask): Promise<Answer> {
    const { door } = this.#deps;
    try {
      const answer = await this.#fetch(request);
      if (answer.status !== 401) return answer;
    } catch (thrown) {
      // Nothing was listening, so nothing was done: to ask again is safe for every method.
      if (!isRefused(thrown)) throw this.#unreachable(thrown, request.signal);
    }
    door.forget();
    return this.#fetch(request).catch((thrown: unknown) => {
      throw this.#unreachable(thrown, request.signal);
    });
  }

  async #fetch({ method, path, body, signal }: Ask): Promise<Answer> {
    const { baseUrl, key } = await this.#deps.door.address();
    const headers = {
      'x-gateway-api-key': `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    return { status: response.status, body: parsed(text), date: response.headers.get('date') ?? undefined };
  }

  #judged<T>({ status, body }: Answer, path: string, schema: z.ZodType<T>): T {
    const { l10n } = this.#deps;
    if (status >= 400) {
      const said = ErrorBody.safeParse(body).data?.error;
      const message = said?.message ?? l10n.t('The gateway returned HTTP {1} for {0}.', path, status);
      throw new GatewayError(message, { status, ...(said?.param && { param: said.param }) });
    }
    const read = schema.safeParse(body);
    if (read.success) return read.data;
    const where = read.error.issues[0]?.path.join('.') ?? '';
    const message = l10n.t(
      "The gateway's response to {0} is invalid ({1}). The gateway may be running a different version.",
      path,
      where,
    );
    throw new GatewayError(message, { status, cause: read.error });
  }

  #unreachable(thrown: unknown, signal: AbortSignal | undefined): unknown {
    if (thrown instanceof GatewayError || signal?.aborted) return thrown;
    const why = causeOf(thrown);
    return new GatewayError(
      this.#deps.l10n.t('The gateway is not responding ({0}). Try again, or run "Switchboard: Restart Host".', why),
      { cause: thrown },
    );
  }
}

export function withQuery(path: string, query: Query): string {
  const named = Object.entries(query).filter((it) => it[1] !== undefined && it[1] !== '');
  const text = new URLSearchParams(named.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

const isRefused = (thrown: unknown) => /ECONNREFUSED/.test(causeOf(thrown));

/** `fetch failed` says nothing; what it holds does. */
function causeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  if (!(cause instanceof Error)) return thrown.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
