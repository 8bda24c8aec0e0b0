import type { ResourceRouting } from '../aggregation/resourceRouting.ts';
import type { ToolNames } from '../methods/toolNames.ts';

/** The lists whose change clients are told of. */
export const changingLists = ['tools', 'prompts', 'resources'] as const;
export type ChangingList = (typeof changingLists)[number];

/** What requests of all callers have in common. */
export interface McpState {
  readonly owners: ResourceRouting;
  readonly toolNames: ToolNames;
  /** Open subscriptions of the modern era, which are notified of changes that the gateway itself makes. */
  readonly subscribers: Set<Subscriber>;
}

export interface Subscriber {
  readonly tell: (list: ChangingList) => void;
  /** Answers the subscription: there is no more to hear here. */
  readonly end: () => void;
}
