import type { Connection } from './connection.ts';

/** One message between this window and its host. */
export interface Passed {
  readonly direction: 'sent' | 'received';
  readonly kind: 'request' | 'answer' | 'error' | 'notification';
  readonly method: string;
  /** Of an answer: those of its request. */
  readonly params: unknown;
  readonly body: unknown;
}

/** Who watches the messages of this window; nobody until a person asks for it. */
export interface Tap {
  watch?: ((message: Passed) => void) | undefined;
}

/** The same connection, which shows what passes over it to whoever watches. */
export function tapped(it: Connection, tap: Tap): Connection {
  return {
    initializeResult: it.initializeResult,
    request: (method, params, token) => {
      tap.watch?.({ direction: 'sent', kind: 'request', method, params, body: params });
      const answered = it.request(method, params, token);
      if (tap.watch) {
        const received = (kind: 'answer' | 'error') => (body: unknown) =>
          tap.watch?.({ direction: 'received', kind, method, params, body });
        answered.then(received('answer'), received('error'));
      }
      return answered;
    },
    notify: (method, params) => {
      tap.watch?.({ direction: 'sent', kind: 'notification', method, params, body: params });
      return it.notify(method, params);
    },
    onNotification: (method, listener) =>
      it.onNotification(method, (params) => {
        tap.watch?.({ direction: 'received', kind: 'notification', method, params, body: params });
        listener(params);
      }),
    onClosed: (listener) => it.onClosed(listener),
  };
}
