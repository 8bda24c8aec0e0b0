import type { MergedLists } from '../aggregation/mergedLists.ts';
import type { ResourceRouting } from '../aggregation/resourceRouting.ts';
import type { ToolNames } from '../methods/toolNames.ts';
import type { ToolSearchOnUse } from '../toolSearch/toolSearchOnUse.ts';

/** The lists whose changes clients are notified of. */
export const changingLists = ['tools', 'prompts', 'resources'] as const;
export type ChangingList = (typeof changingLists)[number];

/** What requests of all callers have in common. */
export interface McpState {
  readonly mergedLists: MergedLists;
  readonly resourceRouting: ResourceRouting;
  readonly toolNames: ToolNames;
  readonly toolSearch: ToolSearchOnUse;
  /** Open subscriptions of the modern era, which are notified of changes that the gateway itself makes. */
  readonly subscribers: Set<Subscriber>;
}

export interface Subscriber {
  readonly notify: (list: ChangingList) => void;
  /** Answers the subscription: no more notifications follow. */
  readonly end: () => void;
}
