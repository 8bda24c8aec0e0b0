import type { Owners } from './owners.ts';

/** The lists whose change clients are told of. */
export const changingLists = ['tools', 'prompts', 'resources'] as const;
export type ChangingList = (typeof changingLists)[number];

/** What requests of all callers have in common. */
export interface Shared {
  readonly owners: Owners;
  /** Open subscriptions of the newer era, which hear of changes that the gateway itself makes. */
  readonly subscribers: Set<(list: ChangingList) => void>;
}
