import type { Disposable } from './port.ts';

/** One life of a connection to the host, from the answered `initialize` to its end. */
export interface Connection {
  readonly initializeResult: unknown;
  /** Rejects with the host's error (`code`, `message`, `data`). */
  request(method: string, params: unknown, token?: CancelToken): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
  /** Handlers are registered while the host may already be sending: what comes before the first one must be kept for it. */
  onNotification(method: string, listener: (params: unknown) => void): Disposable;
  /** Called once, with a reason for a person. `messageTooLarge`: the host closed it over something that we sent. */
  onClosed(listener: (reason: string, cause?: 'messageTooLarge') => void): Disposable;
}

/** The part of `vscode.CancellationToken` that JSON-RPC needs. */
export interface CancelToken {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: (event: unknown) => unknown): Disposable;
}

/** The connection ended before the host answered. Whether the host did what was asked is unknown. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The host did not answer in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The number of a JSON-RPC error, or `undefined` for every other failure. */
export function errorCodeOf(error: unknown): number | undefined {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'number' ? code : undefined;
}
