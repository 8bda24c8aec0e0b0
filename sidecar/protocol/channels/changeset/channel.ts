import { schemes } from '../../uris.ts';
import { defineChannel } from '../defineChannel.ts';
import { reduceChangeset } from './reducer.ts';
import { type ChangesetAction, ChangesetState, changesetActions } from './schema.ts';

export const changesetChannel = defineChannel<'changeset', ChangesetState, ChangesetAction>({
  kind: 'changeset',
  scheme: schemes.changeset,
  state: ChangesetState,
  actions: changesetActions,
  reduce: reduceChangeset,
  clientMay: new Set<ChangesetAction['type']>(['changeset/filesReviewChanged']),
});
