import { schemes } from '../../uris.ts';
import { defineChannel } from '../defineChannel.ts';
import { reduceRoot } from './reducer.ts';
import { type RootAction, RootState, rootActions } from './schema.ts';

export const rootChannel = defineChannel<'root', RootState, RootAction>({
  kind: 'root',
  scheme: schemes.root,
  state: RootState,
  actions: rootActions,
  initial: () => ({ agents: [] }),
  reduce: reduceRoot,
  clientMay: new Set<RootAction['type']>(['root/configChanged']),
});
