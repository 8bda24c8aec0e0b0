import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import type {
  HostNotificationName,
  HostNotificationParams,
  MethodName,
  methods,
  RequestParams,
} from '../../sidecar/protocol/methods.ts';
import type * as z from 'zod';

export interface Disposable {
  dispose(): void;
}
export type Answer<M extends MethodName> = z.output<(typeof methods)[M]['result']>;

/** A channel as this client knows it. `shown` is `undefined` until the first snapshot came, and when the channel is gone. */
export interface ChannelView<S> {
  readonly shown: S | undefined;
  onDidChange(listener: () => void): Disposable;
  /** Unsubscribes when nobody else holds the channel. */
  dispose(): void;
}

/** What views, commands and pages need of the host, whichever process and connection is behind it. */
export interface HostPort {
  /** Starts the host when it does not run. Rejects with the host's error. */
  request<M extends MethodName>(method: M, params: RequestParams<M>): Promise<Answer<M>>;
  /** Shown at once, sent in order, sent again after a break until the host answered. */
  dispatch(channel: string, action: AnyAction): void;
  open<S>(uri: string): ChannelView<S>;
  onNotification<N extends HostNotificationName>(
    name: N,
    listener: (params: HostNotificationParams<N>) => void,
  ): Disposable;
  /** After every handshake, the first and those after a break: what is not replayed must be asked for again. */
  onDidConnect(listener: () => void): Disposable;
}
