import { refuseModel } from '../agents/sessionConfig.ts';
import { refuseChats } from '../context/attachedChats.ts';
import { hasFinished } from '../context/chatAccess.ts';
import type { Requester } from '../context/effectDeps.ts';
import { refuseDirectory } from '../sessions/directories.ts';
import type { CheckContext } from './checkAction.ts';
import type { HandlerDeps } from './handlerDeps.ts';

/** @param channel the session itself, or one of its chats */
export function checkContext(deps: HandlerDeps, session: string, channel: string, requester: Requester): CheckContext {
  const { effectDeps, agents, customizations, sessions } = deps;
  const state = effectDeps.store.state('session', session);
  return {
    requester,
    session: state,
    isFinished: (turnId) => hasFinished(effectDeps, channel, turnId),
    refuseConfig: (config, replace) => sessions.refuseConfig(session, config, replace),
    refuseModel: (model) => refuseModel(agents.models(state?.provider), model),
    refuseAgent: (uri) => customizations.refuseAgent(session, uri),
    refuseChats: (message) => refuseChats(effectDeps, state, message),
    refuseDirectory: (it) => refuseDirectory(effectDeps, requester, channel, it),
  };
}
