import { parseChangesView } from '../../../protocol/uris.ts';
import { plainWindow } from '../../context/effectDeps.ts';
import { guard, type Parts } from '../parts.ts';
import type { ChannelHandler } from './channelHandler.ts';

/** Changesets of turns and sessions are always there; views of changes are made while somebody looks at them. */
export function changesetHandler({ deps }: Parts): ChannelHandler<'changeset'> {
  return {
    async ensure(channel) {
      if (parseChangesView(channel)) await deps.changes.offer(channel);
    },
    subscribed: (channel, { window = plainWindow }) => void guard(deps, deps.changes.look(channel, window.trusted)),
  };
}
