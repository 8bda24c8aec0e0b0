import * as vscode from 'vscode';
import type { SessionAction } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { sessionUri } from '../../../../sidecar/protocol/uris.ts';
import type { ChatTurnsDeps } from './chatTurnsModule.ts';

/** Copies the session up to the end of a turn, and shows the copy. */
export async function forkSession({ chat, openChat }: ChatTurnsDeps, turnId: string): Promise<void> {
  const { chosen, session, deps } = chat;
  if (chosen.session === undefined || !session) return;
  const fork = sessionUri(deps.newId());
  await deps.port.request('createSession', { channel: fork, fork: { session: chosen.session, turnId } });
  // The host lists a session from its first action on, and two of the same name could not be told apart.
  const named: SessionAction = { type: 'session/titleChanged', title: vscode.l10n.t('{0} (fork)', session.title) };
  deps.port.dispatch(fork, named);
  openChat(fork);
}
