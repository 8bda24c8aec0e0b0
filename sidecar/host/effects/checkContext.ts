import { refuseModel } from '../agents/sessionConfig.ts';
import { refuseChats } from '../context/attachedChats.ts';
import { hasFinished } from '../context/chatAccess.ts';
import { refuseDirectory } from '../sessions/directories.ts';
import type { CheckContext } from './checkAction.ts';
import type { HandlerDeps } from './handlerDeps.ts';
import type { Sender } from './handlers/channelHandler.ts';

/** @param channel the session itself, or one of its chats */
export function checkContext(deps: HandlerDeps, session: string, channel: string, sender: Sender): CheckContext {
  const { effectDeps, agents, customizations, sessions } = deps;
  const { client: requester, credential } = sender;
  const state = effectDeps.store.state('session', session);
  return {
    requester,
    session: state,
    isFinished: (turnId) => hasFinished(effectDeps, channel, turnId),
    refuseConfig: (config, replace) => sessions.refuseConfig(session, config, replace, credential !== undefined),
    refuseModel: (model) => refuseModel(agents.models(state?.provider), model),
    refuseAgent: (uri) => customizations.refuseAgent(session, uri),
    refuseChats: (message) => refuseChats(effectDeps, message),
    refuseDirectory: (it) => refuseDirectory(effectDeps, requester, channel, it),
  };
}
