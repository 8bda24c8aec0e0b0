import { Fault } from '../../../platform/faults.ts';
import type { ChannelAction } from '../../../protocol/channels/index.ts';
import { dialOf, toUsualDial } from '../../../protocol/channels/session/permissionDial.ts';
import { withoutOwnChoices } from '../../../protocol/channels/session/sandboxChoice.ts';
import type { Origin } from '../../../protocol/envelope.ts';
import { hasFlag, status } from '../../../protocol/status.ts';
import { heldDial } from '../../agents/modes/permissionDial.ts';
import { commitSession } from '../../context/chatAccess.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import { workingFolders } from '../../context/folders/workingFolders.ts';
import { problemFrom, problemOf, setProblem } from '../../context/problems.ts';
import { chatsThatMoved, type DirectoryAction } from '../../sessions/directories.ts';
import { checkSessionAction } from '../checkAction.ts';
import { checkContext } from '../checkContext.ts';
import { guard, type HandlerDeps } from '../handlerDeps.ts';
import { resumeQueues } from '../queue.ts';
import type { ChannelHandler } from './channelHandler.ts';

type Changed = Extract<ChannelAction<'session'>, { type: 'session/configChanged' }>;

export function sessionHandler(deps: HandlerDeps): ChannelHandler<'session'> {
  const { effectDeps, clients, customizations, runtimes } = deps;
  const customize = (session: string, action: ChannelAction<'session'>, origin?: Origin) =>
    customizations.onCommitted(session, action, origin !== undefined);
  const moved = (session: string, action: Extract<DirectoryAction, ChannelAction<'session'>>, origin?: Origin) => {
    for (const chat of chatsThatMoved(effectDeps.store, session, action)) runtimes.foldersChanged(chat);
    customize(session, action, origin);
  };
  return {
    check: (session, action, sender) => checkSessionAction(action, checkContext(deps, session, session, sender)),
    committed: {
      'session/configChanged': (session, action) => configure(deps, session, action),
      'session/isArchivedChanged': (session) => letAgentsGo(deps, session),
      'session/serverToolsChanged': (session) => runtimes.toolsChanged(session),
      'session/activeClientSet': (session, action, origin) => {
        clients.added(action.activeClient.clientId, session);
        runtimes.toolsChanged(session);
        customize(session, action, origin);
      },
      'session/activeClientRemoved': (session, action, origin) => {
        if (origin) clients.removed(action.clientId, session); // the host follows up its own removals there and then
        runtimes.toolsChanged(session);
        customize(session, action, origin);
      },
      'session/workingDirectorySet': moved,
      'session/workingDirectoryRemoved': moved,
      'session/customizationToggled': customize,
      'session/mcpServerStartRequested': customize,
      'session/mcpServerStopRequested': customize,
    },
    subscribed(session, client) {
      customizations.look(session, client);
      void guard(effectDeps, lookForFolders(effectDeps, session));
      resumeQueues(deps, session, client);
    },
    unsubscribed: (session, { clientId }) => clients.remove(clientId, session),
    closed: ({ clientId }, isThere) => clients.disconnected(clientId, isThere),
  };
}

/** Shows in a session that is opened that its folder is gone, and no more once it is back. */
async function lookForFolders({ store }: EffectDeps, session: string): Promise<void> {
  const uris = store.state('session', session)?.workingDirectories ?? [];
  const fault = await workingFolders(uris, false).then(
    () => undefined,
    (thrown: unknown) => {
      if (thrown instanceof Fault) return thrown;
      throw thrown;
    },
  );
  if (fault) setProblem(store, session, problemFrom(fault));
  else if (problemOf(store, session)?.kind === 'folderGone') setProblem(store, session, undefined);
}

function configure({ effectDeps, runtimes }: HandlerDeps, session: string, { config, replace }: Changed): void {
  runtimes.modes.chose(session, withoutOwnChoices(config));
  const state = effectDeps.store.state('session', session);
  // An agent that changes its options meanwhile does not take back what was chosen.
  const values = withoutOwnChoices(replace === true ? config : { ...state?.config?.values, ...config });
  for (const { resource } of state?.chats ?? []) {
    const agent = runtimes.get(resource)?.agent;
    agent?.configure?.(values).catch((thrown: unknown) => effectDeps.report(effectDeps.newId(), thrown));
  }
  // An agent that decides by itself is held by no dial, so none is shown.
  if (state?.config && heldDial(state.config, state.config.values) !== dialOf(state.config.values))
    commitSession(effectDeps.store, session, toUsualDial);
}

/** Agents of a session that was put away are let go. */
function letAgentsGo({ effectDeps, runtimes, turns }: HandlerDeps, session: string): void {
  const state = effectDeps.store.state('session', session);
  if (!state || !hasFlag(state.status, status.IsArchived)) return;
  for (const { resource } of state.chats) {
    if (!turns.isRunning(resource)) void guard(effectDeps, runtimes.close(resource));
  }
}
