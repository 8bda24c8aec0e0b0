import type * as z from 'zod';

/** What a reducer may know besides its inputs. `now` is RFC 3339 UTC, chosen by whoever commits. */
export interface ReduceContext {
  readonly now: string;
}

export interface ChannelDefinition<S, A extends { type: string }, K extends string = string> {
  /** Names the channel's fixtures, and the reducer in `reduce(kind, …)`. */
  readonly kind: K;
  /** First part of the channel URI: `host-chat` for `host-chat:/<uuid>`. */
  readonly scheme: string;
  /** Last part of it where two kinds share a scheme (`/annotations`); such an entry stands before the plain one. */
  readonly suffix?: string;
  readonly state: z.ZodType<S>;
  /** One schema for each action type, by that type. What is not in it is of a newer peer. */
  readonly actions: { readonly [T in A['type']]: z.ZodType<Extract<A, { type: T }>> };
  /** Start value of a channel that is always there; absent where a command makes the state, as for sessions. */
  readonly initial?: () => S;
  readonly reduce: (state: S, action: A, context: ReduceContext) => S;
  /** Host and mirror run it on the state after every `reduce`. It derives what no action carries. */
  readonly settle?: (state: S) => S;
  /** Actions a client may send; every other one is the host's alone. */
  readonly clientMay: ReadonlySet<A['type']>;
}

/** Keeps the kind, and the types of state and actions, next to the table entry. */
export function defineChannel<K extends string, S, A extends { type: string }>(
  definition: ChannelDefinition<S, A, K>,
): ChannelDefinition<S, A, K> {
  return definition;
}
