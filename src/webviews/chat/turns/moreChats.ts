import * as vscode from 'vscode';
import type { ChatAction } from '../../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatSummary } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { ChatSource } from '../../../../sidecar/protocol/commands.ts';
import type { Message } from '../../../../sidecar/protocol/shared.ts';
import { chatUri } from '../../../../sidecar/protocol/uris.ts';
import { toMessage, whenChatShown } from '../chatPrompts.ts';
import { agentOf, toChats } from '../chats/chatTabs.ts';
import type { ChatOfPage, ChatTurnsDeps } from './chatTurnsModule.ts';

/** Begins another chat in the session, and shows it. One that nobody wrote to yet serves. */
export async function addChat({ chat, post }: ChatTurnsDeps): Promise<void> {
  const current = await whenChatShown(chat);
  const { canAddChat } = toChats(chat.session, agentOf(chat), current);
  // Before the host said who its agents are, it decides.
  if (chat.root && !canAddChat) throw new Error(vscode.l10n.t('This agent supports only one chat per session.'));
  const isEmpty = chat.chat?.turns.length === 0 && !chat.chat.activeTurn && chat.chat.origin?.kind === 'user';
  if (!isEmpty || current === chat.session?.defaultChat) await create(chat, {});
  post({ type: 'compose', focus: true });
}

interface Beside {
  /** Its agent knows what was said until then; absent: until the newest turn. */
  readonly turnId?: string;
  /** Its first message. */
  readonly question?: string;
}

/** Begins a chat beside this one, which goes on undisturbed. A question that could not be asked comes back. */
export async function askBeside(deps: ChatTurnsDeps, beside: Beside): Promise<void> {
  try {
    await openBeside(deps, beside);
  } catch (error) {
    const { question } = beside;
    if (question !== undefined) deps.post({ type: 'compose', text: `/btw ${question}`, focus: true, isReturned: true });
    throw error;
  }
}

async function openBeside({ chat, post }: ChatTurnsDeps, { turnId, question }: Beside): Promise<void> {
  const source = await whenChatShown(chat);
  const { canAskBeside } = toChats(chat.session, agentOf(chat), source);
  if (chat.root && !canAskBeside) throw new Error(vscode.l10n.t('This agent does not support side chats.'));
  const { activeTurn, turns = [] } = chat.chat ?? {};
  const until = turnId ?? activeTurn?.id ?? turns.at(-1)?.id;
  if (until === undefined)
    throw new Error(vscode.l10n.t('This chat has no messages yet. Send a message before you start a side chat.'));
  const initialMessage = question === undefined ? undefined : toMessage(chat, question);
  await create(chat, {
    source: { kind: 'sideChat', chat: source, turnId: until },
    ...(initialMessage && { initialMessage }),
  });
  if (initialMessage) chat.composed.attachments = [];
  post({ type: 'compose', focus: true });
}

/** Copies the chat up to a turn into another chat of the session, and shows the copy. */
export async function forkChat({ chat }: ChatTurnsDeps, turnId: string): Promise<void> {
  const { chatUri: source, session } = chat;
  if (source === undefined || !session) return;
  const title = session.chats.find((it) => it.resource === source)?.title || session.title;
  await create(chat, {
    title: vscode.l10n.t('{0} (fork)', title),
    source: { kind: 'fork', chat: source, turnId },
  });
}

async function create(
  chat: ChatTurnsDeps['chat'],
  more: { readonly title?: string; readonly source?: ChatSource; readonly initialMessage?: Message },
): Promise<void> {
  const session = chat.chosen.session;
  if (session === undefined) return;
  const uri = chatUri(chat.deps.newId());
  await chat.deps.port.request('createChat', { channel: session, chat: uri, ...more });
  chat.showChat(uri);
}

/** What the menu of a tab does. */
export async function changeChat({ chat, post }: ChatTurnsDeps, { chat: uri, what }: ChatOfPage): Promise<void> {
  const entry = chat.session?.chats.find((it) => it.resource === uri);
  if (!entry) return;
  const isMain = uri === chat.session?.defaultChat;
  const { port } = chat.deps;
  if (what === 'rename') return rename(chat, entry);
  if (what === 'reopen') {
    port.dispatch(uri, archived(false));
    chat.showChat(uri);
    return post({ type: 'compose', focus: true });
  }
  if (isMain) return;
  if (what === 'delete' && !(await mayDelete(entry))) return;
  if (chat.chatUri === uri && chat.session?.defaultChat !== undefined) chat.showChat(chat.session.defaultChat);
  if (what === 'close') port.dispatch(uri, archived(true));
  else await port.request('disposeChat', { channel: uri });
}

const archived = (isArchived: boolean): ChatAction => ({ type: 'chat/isArchivedChanged', isArchived });

async function rename({ deps, session }: ChatTurnsDeps['chat'], { resource, title }: ChatSummary): Promise<void> {
  const value = title || (resource === session?.defaultChat ? session.title : '');
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Chat'),
    value,
    prompt: vscode.l10n.t('Name of this chat in its session'),
    validateInput: (it) => (it.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
    ignoreFocusOut: true,
  });
  const given = name?.trim().slice(0, 200);
  if (given) await deps.port.request('x-switchboard/renameChat', { channel: resource, title: given });
}

async function mayDelete({ title }: ChatSummary): Promise<boolean> {
  const go = vscode.l10n.t('Delete');
  const picked = await vscode.window.showWarningMessage(
    title ? vscode.l10n.t('Delete the chat "{0}"?', title) : vscode.l10n.t('Delete this chat?'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Its messages and answers will be deleted, and any running turn will be stopped. Changed files stay as they are.',
      ),
    },
    go,
  );
  return picked === go;
}
