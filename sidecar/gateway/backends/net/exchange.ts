import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AnswerBody, type BackendBody } from './answerBody.ts';

export interface BackendRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes that flow are not held, and are sent once. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** The answer stays open: it goes over sockets of its own, so that it blocks no call. Default: a GET of events does. */
  readonly isLongLived?: boolean;
  /** Called when the request is on its way: its answer may take long, and others may not overtake it. */
  readonly onSent?: (() => void) | undefined;
}

export interface BackendResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Read to its end or destroyed; one that is left alone keeps its socket and its slot. */
  readonly body: BackendBody;
}

/** A body that can be read only once. */
export const isFlow = (body: BackendRequest['body']): body is AsyncIterable<Uint8Array> =>
  body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);

/** Where a request goes. One object for all requests to an address: a `URL` puts these texts together each time. */
export interface Destination {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}
export const destinationOf = ({ origin, pathname, search }: URL): Destination => ({ origin, path: pathname + search });

/** Callbacks for the stages of an exchange. */
export interface ExchangeListener {
  /** Called once when the answer was read, let go or broken. */
  readonly onRead?: (() => void) | undefined;
  /** The answer has begun. */
  onReached?(): void;
  /** There was none. */
  onFailed?(thrown: unknown): void;
}
const nobody: ExchangeListener = {};

/**
 * Sends one request. Aborting the signal ends it, or its answer where that has begun.
 *
 * @throws the reason of the signal, else what the HTTP client throws
 */
export function exchange(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  { origin, path }: Destination,
  request: BackendRequest,
  signal: AbortSignal,
  listener: ExchangeListener = nobody,
): Promise<BackendResponse> {
  return new Promise((resolve, rejected) => {
    const { method, headers, body, onSent } = request;
    let hasFailed = false;
    const reject = (thrown: Error) => {
      if (hasFailed) return;
      hasFailed = true;
      listener.onFailed?.(thrown);
      rejected(thrown);
    };
    if (signal.aborted) {
      reject(reasonOf(signal));
      return;
    }
    const flow = isFlow(body) ? Readable.from(body) : undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let answer: AnswerBody | undefined;
    const abort = () => {
      const reason = reasonOf(signal);
      answer?.fail(reason);
      if (controller) controller.abort(reason);
      else reject(reason);
    };
    const over = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    dispatcher.dispatch(
      { origin, path, method: method as 'POST', headers, body: flow ?? (body as string) ?? null },
      {
        onRequestStart(it) {
          controller = it;
          if (signal.aborted) it.abort(reasonOf(signal));
          else onSent?.();
        },
        onResponseStart(it, status, received) {
          if (status < 200) return;
          answer = new AnswerBody(it, listener.onRead);
          listener.onReached?.();
          resolve({ status, headers: received, body: answer });
        },
        onResponseData(_, chunk) {
          answer?.push(chunk);
        },
        onResponseEnd() {
          over();
          answer?.end();
        },
        onResponseError(_, thrown) {
          over();
          flow?.destroy();
          if (answer) answer.fail(thrown);
          else reject(thrown);
        },
      },
    );
  });
}

const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error('The request was aborted.', { cause: reason });
