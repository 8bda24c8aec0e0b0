import * as vscode from 'vscode';
import type { Host } from '../../client/hosts.ts';
import type { Disposable } from '../../client/port.ts';
import { rootStateOf } from '../../client/rootState.ts';
import { nowMs } from '../../platform/clock.ts';
import { KeptArrangement } from './arrangement.ts';
import { dropOn } from './drop.ts';
import { isConversation, KeptConversations } from './elsewhere/keptConversations.ts';
import { localSessions } from './localSessions.ts';
import { openStateOf } from './openState.ts';
import { SessionsTree, type WaitingRequests } from './provider.ts';
import { openRetention } from './retention/openRetention.ts';
import { RowCommands } from './rowCommands.ts';
import type { OpenedSessions, SessionsDeps } from './sessionsModule.ts';
import { SessionFiles } from './transfer/sessionFiles.ts';
import { ViewCommands } from './viewCommands.ts';
import { waitingRequests } from './waitingRequests.ts';
import { filterWords } from './words.ts';

/** The view with what its rows and its title run. */
export function openSessions(deps: SessionsDeps): OpenedSessions {
  const { hosts, tree } = deps;
  const arrangement = new KeptArrangement(deps.workspaceState, deps.globalState);
  const localRequests = waitingRequests(hosts.local.attention, deps.answerIds);
  const kept = new KeptConversations(hosts.local.client, () => deps.folders.folder);
  const local = localSessions(deps.local, arrangement, localRequests, kept);
  const trees = new Set([local]);
  const agentName = (provider: string) =>
    hosts.all.flatMap((it) => rootStateOf(it.client)?.agents ?? []).find((it) => it.provider === provider)
      ?.displayName ?? provider;
  const describe = () => {
    tree.view.description = filterWords(vscode.l10n, arrangement.now, agentName);
  };
  describe();
  const requestsOfHosts = [localRequests];
  const retention = openRetention({ ...deps, ...deps.local, ofPerson: deps.globalState });
  const stops = vscode.Disposable.from(retention, local, kept, arrangement, arrangement.onDidChange(describe), {
    dispose: () => vscode.Disposable.from(...requestsOfHosts).dispose(),
  });
  const files = new SessionFiles(deps);
  const rowCommands = new RowCommands({ hosts, view: tree.view, arrangement, files });
  const viewCommands = new ViewCommands({
    hosts,
    arrangement,
    agentName,
    openChat: (session) => deps.chats.open(session),
    openTurn: (session, turnId, host) => deps.chats.open(session, { turnId, ...(host !== '' && { host }) }),
  });
  return {
    local,
    makeTree(host, onDidChangeRoot) {
      const requests = waitingRequests(host.attention, deps.answerIds);
      const made = treeElsewhere(host, onDidChangeRoot, arrangement, requests);
      trees.add(made);
      requestsOfHosts.push(requests);
      return made;
    },
    drop: (row, data) => dropOn(row, data, (session, add) => deps.chats.open(session, { add })),
    run(command, row, rows) {
      switch (command) {
        case 'sessions.search':
          return viewCommands.search();
        case 'sessions.searchTranscripts':
          return viewCommands.searchTranscripts();
        case 'sessions.import':
          return files.import();
        case 'sessions.filter':
          return viewCommands.filter();
        case 'sessions.resetFilter':
          return viewCommands.resetFilter();
        case 'sessions.arrange':
          return viewCommands.arrange();
        case 'sessions.showMore':
          return [...trees].some((it) => it.showMore(row)) ? undefined : viewCommands.showMore(row);
        case 'sessions.bringIn':
          return isConversation(row) ? kept.bringIn(row).then((it) => deps.chats.open(it)) : undefined;
        default:
          return rowCommands.run(command, row, rows);
      }
    },
    dispose: () => stops.dispose(),
  };
}

function treeElsewhere(
  { client, catalogue }: Host,
  onDidChangeRoot: (listener: () => void) => Disposable,
  arrangement: KeptArrangement,
  requests: WaitingRequests,
): SessionsTree {
  return new SessionsTree({
    requests,
    read: () => {
      const root = rootStateOf(client);
      return {
        sessions: catalogue.sessions,
        hasMore: catalogue.hasMore,
        isLoaded: catalogue.isLoaded,
        clientId: client.clientId,
        notices: [],
        terminals: root?.terminals ?? [],
        agents: root?.agents ?? [],
        arrangement: arrangement.now,
        hasFolder: false,
        nowMs: nowMs(),
      };
    },
    session: (uri) => catalogue.get(uri),
    openState: (uri) => openStateOf(client, uri),
    onDidChange: (listener) =>
      vscode.Disposable.from(
        catalogue.onDidChange(listener),
        onDidChangeRoot(() => listener(undefined)),
        arrangement.onDidChange(() => listener(undefined)),
      ),
  });
}
