import type { ReduceContext } from './channels/defineChannel.ts';
import { channelOf, channels } from './channels/index.ts';
import type { AnyAction } from './envelope.ts';

/** What carries state: `root`, `session`, `chat`, `terminal`, `changeset`, `annotations`, `resourceWatch`. */
export type ChannelKind = string;

/** The kind of the channel with that URI; `undefined` for a URI of none, as for telemetry, which has no state. */
export function channelKind(uri: string): ChannelKind | undefined {
  return channelOf(uri)?.kind;
}

/**
 * The reducer that programs of others get (`dist/protocol.mjs`): `reduce(kind, state, action, context?)`.
 *
 * It judges nothing: give it what `judgeAction` or the schemas let through. An action of an unknown type changes nothing,
 * and a no-op answers the very `state`. `context.now` is RFC 3339, for a mirror the time of the envelope; without it
 * `clock` is asked. What no action carries is the business of `settleSession`.
 *
 * @throws {RangeError} for a kind that is not in the table of channels
 */
export function reducerOf(
  clock: () => string,
): <S>(kind: ChannelKind, state: S, action: AnyAction, context?: Partial<ReduceContext>) => S {
  return (kind, state, action, context) => {
    const definition = channels.find((it) => it.kind === kind);
    if (!definition) throw new RangeError(`kind: expected one of ${channels.map((it) => it.kind).join(', ')}`);
    if (!Object.hasOwn(definition.actions, action.type)) return state;
    return definition.reduce(state, action, { now: context?.now ?? clock() });
  };
}
