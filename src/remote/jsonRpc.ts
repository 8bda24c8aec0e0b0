import { type CancelToken, ConnectionLost } from '../client/connection.ts';
import type { Disposable } from '../client/port.ts';

const METHOD_NOT_FOUND = -32601;

/** An error that the host answered. */
class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}
type Json = Readonly<Record<string, unknown>>;

/**
 * JSON-RPC over single messages. What a result or a notification holds is judged by who asked for it; a host elsewhere gets
 * nothing of this machine, so each of its own requests is answered with "no such method".
 */
export class JsonRpc {
  readonly #send: (text: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  /** Notifications that came before anybody listened to any, by method; a later one that nobody knows is let go. */
  readonly #early = new Map<string, unknown[]>();
  #lastId = 0;
  #ended: string | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  request(method: string, params: unknown, cancel?: CancelToken): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(new ConnectionLost(this.#ended));
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => void this.#waiting.set(id, { resolve, reject }));
    this.#write({ id, method, params });
    cancel?.onCancellationRequested(() => {
      if (this.#waiting.has(id) && this.#ended === undefined) this.notify('$/cancelRequest', { id });
    });
    return answer;
  }

  /** @throws {ConnectionLost} */
  notify(method: string, params: unknown): void {
    if (this.#ended !== undefined) throw new ConnectionLost(this.#ended);
    this.#write({ method, params });
  }

  onNotification(method: string, listener: (params: unknown) => void): Disposable {
    this.#listeners.set(method, listener);
    for (const it of this.#early.get(method) ?? []) listener(it);
    this.#early.delete(method);
    return {
      dispose: () => {
        if (this.#listeners.get(method) === listener) this.#listeners.delete(method);
      },
    };
  }

  /** One message of the host. What is none is ignored: it answers nothing that was asked. */
  receive(text: string): void {
    const message = parse(text);
    if (!message) return;
    const { id, method } = message;
    if (typeof method === 'string') {
      if (id === undefined) this.#notified(method, message['params']);
      else this.#write({ id, error: { code: METHOD_NOT_FOUND, message: `there is no ${method} here` } });
      return;
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (typeof id !== 'number' || !waiting) return;
    this.#waiting.delete(id);
    const { error } = message;
    if (isJson(error)) waiting.reject(new HostError(Number(error['code']), String(error['message']), error['data']));
    else waiting.resolve(message['result']);
  }

  /** Whatever waits fails with the reason, and so does whatever is asked later. */
  end(reason: string): void {
    this.#ended = reason;
    for (const { reject } of this.#waiting.values()) reject(new ConnectionLost(reason));
    this.#waiting.clear();
  }

  #notified(method: string, params: unknown): void {
    const listener = this.#listeners.get(method);
    if (listener) listener(params);
    else if (this.#listeners.size === 0) this.#early.set(method, [...(this.#early.get(method) ?? []), params]);
  }

  #write(message: Json): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
