import type { ChatAction } from '../../protocol/channels/chat/actions.ts';
import { type ChannelAction, type ChannelKind, type ChannelState, channelOf } from '../../protocol/channels/index.ts';
import type { SessionAction } from '../../protocol/channels/session/schema.ts';
import type { ChannelMetadata, Loaded } from './persistence.ts';

/** One change of a channel, handed to what derives others from it. */
export type Change = { readonly [K in ChannelKind]: ChangeOf<K> }[ChannelKind];
export interface ChangeOf<K extends ChannelKind> {
  readonly channel: string;
  readonly kind: K;
  readonly before: ChannelState<K>;
  readonly after: ChannelState<K>;
  readonly action: ChannelAction<K>;
  readonly metadata: ChannelMetadata;
}

/** For what no action carries; done again when the disk was full. */
export interface StateReplacement<K extends ChannelKind> {
  readonly kind: K;
  readonly channel: string;
  readonly replaceState: (state: ChannelState<K>) => ChannelState<K>;
}
export type Derived =
  | { readonly channel: string; readonly action: ChatAction | SessionAction }
  | { readonly channel: string; readonly metadata: ChannelMetadata }
  | StateReplacement<'session'>
  | StateReplacement<'chat'>;

/** Gives a state its type back: the store holds the channels of all kinds side by side, without. */
export function isOfKind<K extends ChannelKind>(
  kind: K,
  channel: string,
  loaded: Loaded | undefined,
): loaded is Loaded<ChannelState<K>> {
  return loaded !== undefined && channelOf(channel)?.kind === kind;
}
