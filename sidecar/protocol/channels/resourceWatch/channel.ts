import { schemes } from '../../uris.ts';
import { defineChannel } from '../defineChannel.ts';
import { type ResourceWatchAction, ResourceWatchState, resourceWatchActions } from './schema.ts';

export const resourceWatchChannel = defineChannel<'resourceWatch', ResourceWatchState, ResourceWatchAction>({
  kind: 'resourceWatch',
  scheme: schemes.resourceWatch,
  state: ResourceWatchState,
  actions: resourceWatchActions,
  // What changed on disk is news for subscribers, and no part of the state.
  reduce: (state) => state,
  clientMay: new Set<ResourceWatchAction['type']>(),
});
