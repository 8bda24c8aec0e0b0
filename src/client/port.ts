import type { AnnotationsAction } from '../../sidecar/protocol/channels/annotations/schema.ts';
import type { ChangesetAction } from '../../sidecar/protocol/channels/changeset/schema.ts';
import type { ChatAction } from '../../sidecar/protocol/channels/chat/actions.ts';
import type { RootAction } from '../../sidecar/protocol/channels/root/schema.ts';
import type { SessionAction } from '../../sidecar/protocol/channels/session/schema.ts';
import type { TerminalAction } from '../../sidecar/protocol/channels/terminal/schema.ts';
import type {
  HostNotificationName,
  HostNotificationParams,
  MethodName,
  methods,
  RequestParams,
} from '../../sidecar/protocol/methods.ts';

/** An action of one of the channels. Whether a client may send it, the host decides. */
export type ChannelAction =
  | RootAction
  | SessionAction
  | ChatAction
  | ChangesetAction
  | AnnotationsAction
  | TerminalAction;

export interface Disposable {
  dispose(): void;
}
export type Answer<M extends MethodName> = ReturnType<(typeof methods)[M]['result']['parse']>;

/** A channel as this client knows it. `shown` is `undefined` until the first snapshot came, and when the channel is gone. */
export interface ChannelView<S> {
  readonly shown: S | undefined;
  /** The last request for the channel failed, or the host disposed of the channel. */
  readonly isRefused: boolean;
  onDidChange(listener: () => void): Disposable;
  /** Unsubscribes when nobody else holds the channel. */
  dispose(): void;
}

/** What views, commands and pages need of the host, whichever process and connection is behind it. */
export interface HostPort {
  /** Starts the host when it does not run. Rejects with the host's error. */
  request<M extends MethodName>(method: M, params: RequestParams<M>): Promise<Answer<M>>;
  /** Shown at once, sent in order, sent again after a break until the host answered. */
  dispatch(channel: string, action: ChannelAction): void;
  /** @param options `turns`: about how many recent turns of a chat to start with; absent: all */
  open<S>(uri: string, options?: { readonly turns?: number }): ChannelView<S>;
  onNotification<N extends HostNotificationName>(
    name: N,
    listener: (params: HostNotificationParams<N>) => void,
  ): Disposable;
  /** After every handshake, the first and those after a break: what is not replayed must be asked for again. */
  onDidConnect(listener: () => void): Disposable;
  /** With the reason, for a person. */
  onDidDisconnect(listener: (reason: string) => void): Disposable;
  /** The host refused a dispatch, or never answered it; what was shown for it is taken back. */
  onDidReject(listener: (rejection: Refused) => void): Disposable;
}

export interface Refused {
  readonly channel: string;
  readonly action: { readonly type: string };
  readonly reason: string;
}
