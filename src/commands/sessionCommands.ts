import * as vscode from 'vscode';
import type { ChatState } from '../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState, SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import type { Sessions } from '../client/catalogue.ts';
import type { NewPlace } from '../client/hosts.ts';
import type { HostPort } from '../client/port.ts';
import { whenShown } from '../client/whenShown.ts';
import { commandIds } from '../manifest/manifest.ts';
import { shortAge } from '../platform/ages.ts';
import { nowMs } from '../platform/clock.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import type { ChatSurface } from './chatSurface.ts';
import { configureSession } from './configForms.ts';
import { chatIn, sessionIn } from './sessionArgument.ts';

export interface SessionCommandsDeps {
  /** The host of a session. */
  readonly portOf: (session: string) => HostPort;
  readonly catalogue: Sessions;
  readonly chat: ChatSurface;
  /** Asks where there are several hosts. @param row of the host that is meant @returns `undefined` when a person stepped out */
  readonly choosePlace: (row: unknown) => Promise<NewPlace | undefined>;
  /** Lets the user set the budget of a session. */
  readonly setBudget: (session: SessionSummary) => Promise<void>;
}

export function registerSessionCommands(deps: SessionCommandsDeps): vscode.Disposable {
  const on = (command: string, run: (session: SessionSummary, chat: string | undefined) => unknown) =>
    onCommand(command, async (argument: unknown) => {
      const uri = sessionIn(argument);
      const session = deps.catalogue.get(uri ?? (await pickSession(deps.catalogue)) ?? '');
      if (session) await run(session, chatIn(argument));
    });
  return vscode.Disposable.from(
    onCommand(commandIds.newSession, async (row: unknown) => {
      const place = await deps.choosePlace(row);
      if (place) deps.chat.open(undefined, place);
    }),
    onCommand(commandIds.newChat, (row: unknown) => deps.chat.begin('newChat', sessionIn(row))),
    onCommand(commandIds.askBeside, (row: unknown) => deps.chat.begin('askBeside', sessionIn(row))),
    onCommand(commandIds.chatHistory, () => vscode.commands.executeCommand(commandIds.openSession)),
    onCommand(commandIds.openInEditor, () => deps.chat.openInEditor()),
    on(commandIds.openSession, (it, chat) => deps.chat.open(it.resource, chat === undefined ? undefined : { chat })),
    on(commandIds.configureSession, (it) => configureSession(deps.portOf(it.resource), it.resource)),
    on(commandIds.setBudget, (it) => deps.setBudget(it)),
    on(commandIds.stopTurn, (it) => stopTurn(deps, it)),
    on(commandIds.attachTranscript, (it) => deps.chat.attachTranscript(it.resource)),
  );
}

async function pickSession(catalogue: Sessions): Promise<string | undefined> {
  const now = nowMs();
  const items = catalogue.sessions
    .toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt))
    .map((session) => ({
      label: session.title || vscode.l10n.t('New session'),
      description: shortAge(vscode.l10n, session.modifiedAt, now),
      session,
    }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Which session?'),
    ignoreFocusOut: true,
  });
  return picked?.session.resource;
}

async function stopTurn({ portOf }: SessionCommandsDeps, { resource }: SessionSummary): Promise<void> {
  const port = portOf(resource);
  const session = await whenShown<SessionState>(port, resource);
  for (const { resource: chat } of session.chats) {
    const { activeTurn } = await whenShown<ChatState>(port, chat);
    if (!activeTurn) continue;
    const duration = Math.max(0, nowMs() - Date.parse(activeTurn.startedAt));
    port.dispatch(chat, { type: 'chat/turnCancelled', turnId: activeTurn.id, duration });
  }
}
