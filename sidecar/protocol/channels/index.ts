import { annotationsChannel } from './annotations/channel.ts';
import { changesetChannel } from './changeset/channel.ts';
import { chatChannel } from './chat/channel.ts';
import type { ChannelDefinition } from './defineChannel.ts';
import { resourceWatchChannel } from './resourceWatch/channel.ts';
import { rootChannel } from './root/channel.ts';
import { sessionChannel } from './session/channel.ts';
import { terminalChannel } from './terminal/channel.ts';

const table = [
  rootChannel,
  annotationsChannel,
  sessionChannel,
  chatChannel,
  terminalChannel,
  changesetChannel,
  resourceWatchChannel,
] as const;

type Row = (typeof table)[number];
export type ChannelKind = Row['kind'];
export type ChannelState<K extends ChannelKind> = ReturnType<Extract<Row, { kind: K }>['reduce']>;
export type ChannelAction<K extends ChannelKind> = Parameters<Extract<Row, { kind: K }>['reduce']>[1];

/** The one table of channels. Host store, client mirror, snapshots and tests all read it. */
// biome-ignore lint/suspicious/noExplicitAny: the only place the channel types are erased
export const channels: readonly ChannelDefinition<any, any, ChannelKind>[] = table;

const byScheme = new Map(
  channels.map(({ scheme }) => [scheme, channels.filter((it) => it.scheme === scheme)] as const),
);

/** The definition for a channel URI. A suffix is tested before the bare scheme, because such entries come first. */
export function channelOf(uri: string): (typeof channels)[number] | undefined {
  const those = byScheme.get(uri.slice(0, uri.indexOf(':')));
  return those?.length === 1 && those[0]!.suffix === undefined
    ? those[0]
    : those?.find((it) => uri.endsWith(it.suffix ?? ''));
}
