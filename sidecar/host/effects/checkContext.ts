import { refuseModel } from '../agents/sessionConfig.ts';
import { refuseChats } from '../context/attachedChats.ts';
import { hasFinished } from '../context/chatAccess.ts';
import type { Requester } from '../context/effectDeps.ts';
import { refuseDirectory } from '../sessions/directories.ts';
import type { CheckContext } from './checkAction.ts';
import type { Parts } from './parts.ts';

/** @param channel the session itself, or one of its chats */
export function checkContext(parts: Parts, session: string, channel: string, requester: Requester): CheckContext {
  const { deps, agents, customizations, sessions } = parts;
  const state = deps.store.state('session', session);
  return {
    requester,
    session: state,
    isFinished: (turnId) => hasFinished(deps, channel, turnId),
    refuseConfig: (config, replace) => sessions.refuseConfig(session, config, replace),
    refuseModel: (model) => refuseModel(agents.models(state?.provider), model),
    refuseAgent: (uri) => customizations.refuseAgent(session, uri),
    refuseChats: (message) => refuseChats(deps, state, message),
    refuseDirectory: (it) => refuseDirectory(deps, requester, channel, it),
  };
}
