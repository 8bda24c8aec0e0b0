import * as vscode from 'vscode';
import type { ChatState } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import type { ChannelView } from '../../../client/port.ts';
import { shortAge } from '../../../platform/ages.ts';
import { nowMs } from '../../../platform/clock.ts';
import type { AttachingDeps } from './attachModule.ts';
import { NotAttached, textAttachment } from './kept.ts';

const answerMs = 30_000;

/** Another chat of this session is attached as one; of another session, what was said in it so far. */
export async function pickSession(deps: AttachingDeps): Promise<MessageAttachment | undefined> {
  const { chat, catalogue } = deps;
  const siblings = (chat.session?.chats ?? []).filter((it) => it.resource !== chat.chatUri);
  const others = catalogue.sessions.filter((it) => it.resource !== chat.chosen.session);
  const items = [
    ...siblings.map((it) => ({
      label: it.title || vscode.l10n.t('Chat'),
      description: vscode.l10n.t('This session'),
      sibling: it.resource,
    })),
    ...others.map((it) => ({
      label: it.title || vscode.l10n.t('New session'),
      description: [it.project?.displayName, shortAge(vscode.l10n, it.modifiedAt, nowMs())].filter(Boolean).join(' · '),
      session: it.resource,
    })),
  ];
  if (items.length === 0) throw new NotAttached(vscode.l10n.t('There are no other sessions to attach.'));
  const picked = await vscode.window.showQuickPick<vscode.QuickPickItem & { sibling?: string; session?: string }>(
    items,
    {
      ignoreFocusOut: true,
      placeHolder: vscode.l10n.t('Choose a session'),
      matchOnDescription: true,
    },
  );
  if (!picked) return undefined;
  if (picked.sibling !== undefined) return siblingChat(deps, picked.label, picked.sibling);
  return picked.session === undefined ? undefined : otherSession(deps, picked.label, picked.session);
}

async function siblingChat(deps: AttachingDeps, label: string, resource: string): Promise<MessageAttachment> {
  const state = await read<ChatState>(deps, resource);
  const last = state.turns.at(-1);
  if (!last) throw nothingSaid(label);
  return { type: 'chat', label, resource, endTurn: last.id, displayKind: 'transcript' };
}

async function otherSession(deps: AttachingDeps, label: string, uri: string): Promise<MessageAttachment> {
  const session = await read<SessionState>(deps, uri);
  const chat = session.defaultChat ?? session.chats[0]?.resource;
  const { turns } = chat === undefined ? { turns: [] } : await read<ChatState>(deps, chat);
  if (turns.length === 0) throw nothingSaid(label);
  return textAttachment(deps, label, deps.transcriptOf(turns), 'transcript');
}

const nothingSaid = (label: string) =>
  new NotAttached(vscode.l10n.t('{0} was not attached: it has no messages yet.', label));

/** The state of a channel as it is now. */
async function read<S>({ chat }: AttachingDeps, uri: string): Promise<S> {
  const view: ChannelView<S> = chat.deps.port.open<S>(uri);
  try {
    return await shown(view);
  } finally {
    view.dispose();
  }
}

function shown<S>(view: ChannelView<S>): Promise<S> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop.dispose();
      reject(new NotAttached(vscode.l10n.t('The host did not respond in time. Try again.')));
    }, answerMs);
    const look = () => {
      if (view.shown === undefined) return;
      clearTimeout(timer);
      stop.dispose();
      resolve(view.shown);
    };
    const stop = view.onDidChange(look);
    look();
  });
}
