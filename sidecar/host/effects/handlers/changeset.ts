import { parseChangesView } from '../../../protocol/uris.ts';
import { plainWindow } from '../../context/effectDeps.ts';
import { guard, type HandlerDeps } from '../handlerDeps.ts';
import type { ChannelHandler } from './channelHandler.ts';

/** Changesets of turns and sessions are always there; views of changes are made while somebody looks at them. */
export function changesetHandler({ effectDeps }: HandlerDeps): ChannelHandler<'changeset'> {
  return {
    async ensure(channel) {
      if (parseChangesView(channel)) await effectDeps.changes.ensureChannel(channel);
    },
    subscribed: (channel, { window = plainWindow }) =>
      void guard(effectDeps, effectDeps.changes.look(channel, window.trusted)),
  };
}
