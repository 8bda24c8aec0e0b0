import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import { sessionUri } from '../../sidecar/protocol/uris.ts';
import type { HostPort } from '../client/port.ts';
import { commandIds } from '../manifest/manifest.ts';
import type { ChatSurface } from './chatSurface.ts';
import { whenShown } from './whenShown.ts';

export interface TourDeps {
  readonly port: HostPort;
  readonly chat: ChatSurface;
  /** The folder in which new sessions work, as a URI. */
  readonly folder: () => string | undefined;
}

/** The tour is a runbook of its own: it is taken in a real session, and everything in it is the real thing. */
export function registerTour({ port, chat, folder }: TourDeps): vscode.Disposable {
  return vscode.commands.registerCommand(commandIds.takeTour, async () => {
    const home = folder();
    if (home === undefined) {
      await vscode.commands.executeCommand(commandIds.openFolder);
      return;
    }
    const session = sessionUri(randomUUID());
    await port.request('createSession', { channel: session, provider: 'runbook', workingDirectories: [home] });
    const { defaultChat } = await whenShown<SessionState>(port, session, (it) => it.defaultChat !== undefined);
    chat.open(session);
    port.dispatch(defaultChat ?? '', {
      type: 'chat/turnStarted',
      turnId: randomUUID(),
      startedAt: new Date().toISOString(),
      message: { text: '/tour', origin: { kind: 'user' } },
    });
  });
}
