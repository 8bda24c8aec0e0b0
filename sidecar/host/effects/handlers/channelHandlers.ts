import { channelOf } from '../../../protocol/channels/index.ts';
import type { AnyAction, Origin } from '../../../protocol/envelope.ts';
import { checkAnnotation } from '../../turns/annotations.ts';
import type { HandlerDeps } from '../handlerDeps.ts';
import { changesetHandler } from './changeset.ts';
import type { ChannelHandler, ChannelHandlers, Sender } from './channelHandler.ts';
import { chatHandler } from './chat.ts';
import { sessionHandler } from './session.ts';

/** What the host does for each kind of channel; beside the table of channels in `protocol/channels`. */
export function openHandlers(deps: HandlerDeps): ChannelHandlers {
  const { effectDeps, config, terminals, resources } = deps;
  return {
    root: {
      check: (_root, action) => (action.type === 'root/configChanged' ? config.take(action) : undefined),
    },
    annotations: {
      check: (channel, action) =>
        checkAnnotation(effectDeps, effectDeps.store.metadata(channel)?.session ?? channel, action),
    },
    session: sessionHandler(deps),
    chat: chatHandler(deps),
    terminal: {
      check: (channel, action, { client }) => terminals.check(channel, action, client),
      closed: ({ clientId }) => terminals.clientGone(clientId),
    },
    changeset: changesetHandler(deps),
    resourceWatch: {
      unsubscribed: (channel) => resources.unsubscribed(channel),
      closed: ({ clientId }) => resources.clientGone(clientId),
    },
  };
}

/** A handler of whatever kind, for actions that were judged by the table of channels. */
type AnyHandler = Omit<ChannelHandler<never>, 'check' | 'committed'> & {
  readonly check?: (channel: string, action: AnyAction, sender: Sender) => string | undefined;
  readonly committed?: {
    readonly [type: string]:
      | ((channel: string, action: AnyAction, origin: Origin | undefined, after: unknown) => void)
      | undefined;
  };
};

export function handlerOf(handlers: ChannelHandlers, channel: string): AnyHandler | undefined {
  const kind = channelOf(channel)?.kind;
  return kind && (handlers[kind] as AnyHandler); // the kind pairs the handler with its actions
}
