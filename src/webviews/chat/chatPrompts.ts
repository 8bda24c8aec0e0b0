import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import { isPaused } from '../../../sidecar/protocol/channels/chat/chatStatus.ts';
import type { Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import { parkedOf } from '../../../sidecar/protocol/channels/session/parked.ts';
import {
  dialOf,
  PERMISSION_DIAL,
  USUAL_DIAL,
  withoutDial,
} from '../../../sidecar/protocol/channels/session/permissionDial.ts';
import { errorCodes } from '../../../sidecar/protocol/errors.ts';
import type { Message } from '../../../sidecar/protocol/shared.ts';
import { transcriptOf } from '../../../sidecar/protocol/transcript.ts';
import { sessionUri } from '../../../sidecar/protocol/uris.ts';
import { errorCodeOf } from '../../client/connection.ts';
import { whyOf } from '../../platform/whyOf.ts';
import { creationBanner } from './chatBanners.ts';
import { configure } from './chatOptions.ts';
import { allFolders, chosenCustomAgent } from './chatPickers.ts';
import type { OpenChat } from './openChat.ts';

export type How = 'send' | 'queue' | 'steer';

/**
 * Sends what a person wrote. The first prompt creates the session, so that opening a chat costs nothing.
 * @returns false when nothing was sent, so that the text goes back to the composer
 */
export async function sendPrompt(chat: OpenChat, text: string, how: How): Promise<boolean> {
  const message = toMessage(chat, text);
  const sent = await sendMessage(chat, message, how);
  if (sent) {
    chat.removeBanner('refused', 'notAttached');
    chat.composed.sent();
  }
  return sent;
}

/** A message that a stopped turn or a usage limit left waiting begins a turn; the host goes on with the others after it. */
export function sendQueued(chat: OpenChat, id: string): void {
  const { chat: state, chatUri, deps } = chat;
  if (!state || chatUri === undefined) return;
  if (!isPaused(state) && !parkedOf(chat.session?._meta, chatUri)) return;
  const waiting = [state.steeringMessage, ...(state.queuedMessages ?? [])].find((it) => it?.id === id);
  if (!waiting) return;
  const turn: ChatAction = { ...toTurn(deps.newId(), waiting.message, deps.now()), queuedMessageId: id };
  deps.port.dispatch(chatUri, turn);
}

/** Hands an agent that forgot them the earlier turns, as an attachment of the next prompt. */
export function attachTranscript(chat: OpenChat, turns: readonly Turn[] = chat.chat?.turns ?? []): void {
  const attachment = {
    type: 'simple' as const,
    label: 'Transcript',
    displayKind: 'transcript',
    modelRepresentation: transcriptOf(turns),
  };
  chat.composed.attach([{ id: 'transcript', attachment }]);
}

/** Has the built-in agent summarize the conversation, after the running turn. */
export async function compact(chat: OpenChat): Promise<void> {
  if (chat.chatUri === undefined || !chat.deps.editor().isTrusted) return;
  await sendMessage(chat, { text: '/compact', origin: { kind: 'user' } }, 'queue');
}

export async function sendMessage(chat: OpenChat, message: Message, how: How): Promise<boolean> {
  const { deps } = chat;
  const isRunning = chat.chat?.activeTurn !== undefined;
  const uri = chat.chatUri;
  if (uri !== undefined && chat.session?.lifecycle !== 'creationFailed') {
    const id = deps.newId();
    deps.port.dispatch(uri, isRunning ? toPending(id, message, how) : toTurn(id, message, deps.now()));
    return true;
  }
  if (chat.starting) return false;
  return startSession(chat, message);
}

async function startSession(chat: OpenChat, message: Message): Promise<boolean> {
  const { port, newId, now } = chat.deps;
  const turn = toTurn(newId(), message, now());
  chat.removeBanner('creationFailed');
  chat.starting = { id: turn.turnId, message, startedAt: turn.startedAt };
  chat.changed();
  try {
    port.dispatch(await ensureSession(chat), turn);
    return true;
  } catch (error) {
    chat.starting = undefined;
    showCreationFailure(chat, error);
    return false;
  }
}

/**
 * Creates the session when there is none yet. The host lists it from its first turn on.
 * @returns the chat to write to
 */
export async function ensureSession(chat: OpenChat): Promise<string> {
  if (chat.chosen.session === undefined) {
    const session = sessionUri(chat.deps.newId());
    const { provider, config, host } = chat.chosen;
    if (!(await chat.deps.ensureSignedIn(provider, host))) throw new NotSignedIn();
    chat.choose({ session });
    try {
      await chat.deps.port.request('createSession', {
        channel: session,
        workingDirectories: chosenFolders(chat),
        ...(provider !== undefined && { provider }),
        ...(config !== undefined && { config: withoutDial(config) }),
      });
    } catch (error) {
      chat.forgetSession(session);
      throw error;
    }
    // Nobody but a person sets the dial, and only in a session that is there.
    const dial = dialOf(config);
    if (dial !== USUAL_DIAL) configure(chat, session, { [PERMISSION_DIAL]: dial });
    chat.connect();
  }
  return whenChatShown(chat);
}

/** The person did not sign in to what the agent needs. */
class NotSignedIn extends Error {
  readonly code = errorCodes.AuthRequired;
  constructor() {
    super('Nothing was sent, and your prompt is still here.');
  }
}

export function showCreationFailure(chat: OpenChat, error: unknown): void {
  const message = whyOf(error);
  const errorType = errorCodeOf(error) === errorCodes.AuthRequired ? 'authRequired' : 'creationFailed';
  chat.addBanner({ ...creationBanner({ errorType, message }), canDismiss: true });
}

/** The chat of a session that was opened or made a moment ago: the host announces it with the session. */
export function whenChatShown(chat: OpenChat, timeoutMs = 30_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (chat.chatUri === undefined) return;
      clearTimeout(timer);
      stop.dispose();
      resolve(chat.chatUri);
    };
    const timer = setTimeout(() => {
      stop.dispose();
      reject(new Error('The host did not answer with the chat of the session.'));
    }, timeoutMs);
    const stop = chat.onDidChange(look);
    look();
  });
}

function chosenFolders(chat: OpenChat): string[] {
  const editor = chat.deps.editor();
  const folders = editor.folders.map((it) => it.uri);
  if (chat.chosen.folder === allFolders) return folders;
  const chosen = folders.find((it) => it === chat.chosen.folder) ?? editor.folder;
  return chosen === undefined ? [] : [chosen];
}

export function toMessage(chat: OpenChat, text: string): Message {
  const attachments = chat.composed.attachments.map((it) => it.attachment);
  const { model, modelConfig } = chat.chosen;
  const agent = chosenCustomAgent(chat.session, chat.folderAgents.items, chat.chosen);
  return {
    text,
    origin: { kind: 'user' },
    ...(agent !== undefined && { agent: { uri: agent } }),
    ...(attachments.length > 0 && { attachments }),
    ...(model !== undefined && { model: { id: model, ...(modelConfig && { config: { ...modelConfig } }) } }),
  };
}

function toTurn(turnId: string, message: Message, startedAt: string) {
  return { type: 'chat/turnStarted', turnId, startedAt, message } as const;
}

function toPending(id: string, message: Message, how: How): ChatAction {
  return { type: 'chat/pendingMessageSet', kind: how === 'steer' ? 'steering' : 'queued', id, message };
}
