import type { AnyAction } from '../../../../../../sidecar/protocol/envelope.ts';
import { toFrame } from '../../../../../support/host/toFrame.ts';
import type { Names } from './place.ts';

/** One malformed message and the exact outcome. Whatever it is, the connection then serves on, unless it `closes`. */
export interface Row {
  readonly says: string;
  /** Sent before the handshake. */
  readonly fresh?: true;
  /** What is written, byte for byte. */
  readonly bytes: (names: Names) => string | Uint8Array;
  readonly outcome: Outcome;
}
export type Outcome =
  | { readonly error: ExpectedError; readonly closes?: true }
  /** The action comes back to its sender alone. */
  | { readonly rejected: string }
  /** Unknown notifications and unknown channels are ignored. */
  | { readonly silence: true }
  /** Closed without a word. */
  | { readonly closes: true };
export interface ExpectedError {
  readonly id: number | string | null;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const rawRow = (says: string, bytes: string | Uint8Array, outcome: Outcome): Row => ({
  says,
  bytes: () => bytes,
  outcome,
});

/** @param body in a good frame, whatever it is */
export const bodyRow = (says: string, body: string, outcome: Outcome): Row => rawRow(says, toFrame(body), outcome);

/** A request with id 1 that is answered with an error. `params` without a `channel` get none. */
export const requestRow = (
  says: string,
  method: string,
  params: (names: Names) => unknown,
  error: Omit<ExpectedError, 'id'>,
  more: { readonly fresh?: true; readonly closes?: true } = {},
): Row => ({
  says,
  bytes: (names) => toFrame(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params(names) })),
  outcome: { error: { id: 1, ...error }, ...(more.closes && { closes: true }) },
  ...(more.fresh && { fresh: true }),
});

export const notificationRow = (
  says: string,
  method: string,
  params: unknown,
  more: { readonly fresh?: true } = {},
): Row => ({
  says,
  bytes: () => toFrame(JSON.stringify({ jsonrpc: '2.0', method, params })),
  outcome: { silence: true },
  ...more,
});

/** The `clientSeq` under which rows dispatch: new for each, so that none is taken for one that was sent before. */
let clientSeq = 1_000;

export const dispatchRow = (
  says: string,
  channel: (names: Names) => string,
  action: (names: Names) => object,
  outcome: Outcome,
): Row => ({
  says,
  bytes: (names) => {
    clientSeq += 1;
    const params = { channel: channel(names), clientSeq, action: action(names) as AnyAction };
    return toFrame(JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params }));
  },
  outcome,
});
