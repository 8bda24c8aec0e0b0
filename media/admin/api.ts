import * as z from 'zod';
import { t } from '../shared/l10n.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** One request of the pages. No key is in it: a cookie, or the extension, says whose it is. */
export interface Ask {
  readonly method: Method;
  /** With its query, as `/key/list?page=2`. */
  readonly path: string;
  /** Becomes JSON. */
  readonly body?: unknown;
}
export interface Answer {
  readonly status: number;
  /** Read from JSON; undefined for an empty body. */
  readonly body: unknown;
  /** The header `Date`: pages have no clock of their own. */
  readonly date: string | undefined;
}
/**
 * The way to the gateway: `fetch` in a browser, the extension in a webview.
 * @throws {TypeError} for no connection; {@link ApiError} with the status 0 where it is known why
 */
export type Transport = (ask: Ask, signal?: AbortSignal) => Promise<Answer>;

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What the gateway refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  /** The field that is wrong, where one is. */
  readonly param: string | undefined;
  constructor(status: number, message: string, param?: string) {
    super(message);
    this.status = status;
    this.param = param;
  }
}

const ErrorBody = z.object({ error: z.object({ message: z.string(), param: z.string().nullish() }) });

/** Everything the pages read and write goes through here; every answer is judged by its schema. */
export class Api {
  /** Told when the gateway no longer knows whose requests these are. */
  onSignedOut: (() => void) | undefined;
  /** Told what the gateway has to say of something that it saved. */
  onWarnings: ((warnings: readonly string[]) => void) | undefined;
  readonly #transport: Transport;
  #now: string | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The gateway's day, YYYY-MM-DD in UTC, as of its last answer. */
  get today(): string {
    return (this.#now ?? '1970-01-01').slice(0, 10);
  }

  /** The gateway's time as of its last answer, RFC 3339. */
  get now(): string {
    return this.#now ?? '1970-01-01T00:00:00Z';
  }

  get<T>(path: string, query: Query, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> {
    return this.#ask({ method: 'GET', path: withQuery(path, query) }, schema, signal);
  }

  send<T>(method: Method, path: string, body: unknown, schema: z.ZodType<T>): Promise<T> {
    return this.#ask({ method, path, ...(body !== undefined && { body }) }, schema);
  }

  /** @throws {ApiError} */
  async #ask<T>(ask: Ask, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> {
    const { status, body, date } = await this.#transport(ask, signal);
    const at = date === undefined ? Number.NaN : Date.parse(date);
    if (!Number.isNaN(at)) this.#now = new Date(at).toISOString();
    if (status === 401 && ask.path !== '/ui/session') this.onSignedOut?.();
    if (status >= 400) throw refusal(status, body);
    const read = schema.safeParse(body);
    if (read.success && ask.method !== 'GET') this.#warn(body);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const where = ask.path.split('?', 1)[0] ?? '';
    const field = issue?.path.join('.') ?? '';
    const message = t(
      "The gateway's response to {0} is invalid ({1}). The gateway may have been updated. Reload the page.",
      where,
      field,
    );
    throw new ApiError(status, message);
  }

  #warn(body: unknown): void {
    const { data } = Warned.safeParse(body);
    if (data) this.onWarnings?.(data.warnings);
  }
}

const Warned = z.object({ warnings: z.array(z.string()).min(1) });

export function withQuery(path: string, query: Query): string {
  const named = Object.entries(query).filter((it) => it[1] !== undefined && it[1] !== '');
  const text = new URLSearchParams(named.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

function refusal(status: number, body: unknown): ApiError {
  const read = ErrorBody.safeParse(body);
  if (!read.success)
    return new ApiError(
      status,
      t('The gateway returned HTTP {0} without giving a reason. See the gateway log.', status),
    );
  const { message, param } = read.data.error;
  return new ApiError(status, message, param ?? undefined);
}
