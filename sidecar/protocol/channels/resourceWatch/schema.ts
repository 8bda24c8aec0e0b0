import * as z from 'zod';
import { actionTable, openEnum } from '../../building.ts';
import { Uri } from '../../shared.ts';

const patterns = z.object({ items: z.array(z.string()) }).exactOptional();

/** The state of a resource watch. It never changes: another watch is another channel. */
export const ResourceWatchState = z.object({
  root: Uri,
  /** False: `root` and its direct children. */
  recursive: z.boolean(),
  excludes: patterns,
  includes: patterns,
});
export type ResourceWatchState = z.infer<typeof ResourceWatchState>;

export const ResourceChange = z.object({ uri: Uri, type: openEnum('added', 'updated', 'deleted') });
export type ResourceChange = z.infer<typeof ResourceChange>;

/** The actions of a resource watch (`host.action.resourceWatch/…`). */
export const resourceWatchActions = actionTable({
  'resourceWatch/changed': { changes: z.object({ items: z.array(ResourceChange).min(1) }) },
});
export type ResourceWatchAction = z.output<(typeof resourceWatchActions)[keyof typeof resourceWatchActions]>;
