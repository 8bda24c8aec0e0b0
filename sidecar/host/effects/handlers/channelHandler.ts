import type { ChannelAction, ChannelKind, ChannelState } from '../../../protocol/channels/index.ts';
import type { Origin } from '../../../protocol/envelope.ts';
import type { ConnectionLimits } from '../../../protocol/limits.ts';
import type { Requester } from '../../context/effectDeps.ts';
import type { ResourceRequester } from '../../resources/access.ts';

/** Who sends an action: a client, over a connection with limits of its own. */
export interface Sender {
  readonly client: ResourceRequester;
  readonly limits: ConnectionLimits;
  /** By which it was let in; absent over the host's own socket. */
  readonly credential?: string | undefined;
}

/**
 * One row for each action that has consequences. `origin` is absent for actions of the host itself; `after` is the state as
 * the action left it, which others of its tick may have changed since.
 */
export type CommittedRows<A extends { readonly type: string }, S> = {
  readonly [T in A['type']]?: (
    channel: string,
    action: Extract<A, { type: T }>,
    origin: Origin | undefined,
    after: S,
  ) => void;
};

/** What the host does for the channels of one kind. */
export interface ChannelHandler<K extends ChannelKind> {
  /** Why a client's action is refused; `undefined` when it may be committed. */
  readonly check?: (channel: string, action: ChannelAction<K>, sender: Sender) => string | undefined;
  /** What follows an action, once it is on disk. */
  readonly committed?: CommittedRows<ChannelAction<K>, ChannelState<K>>;
  /** Makes a channel that is made only when somebody asks for it. */
  readonly ensure?: (channel: string) => Promise<void>;
  /** A client subscribed. */
  readonly subscribed?: (channel: string, client: Requester) => void;
  /** A client does not look at the channel any more. */
  readonly unsubscribed?: (channel: string, client: Requester) => void;
  /**
   * The connection of a client broke.
   * @param isThere whether it came back meanwhile, and subscribed to the channel again
   */
  readonly closed?: (client: Requester, isThere: (channel: string) => boolean) => void;
}

/** One handler for each row of the table of channels. */
export type ChannelHandlers = { readonly [K in ChannelKind]: ChannelHandler<K> };
