import type { TextEditor } from 'vscode';
import type { FileEdit } from '../../../../sidecar/protocol/shared.ts';
import type { ChatFromPage, ChatToPage } from '../../contract/chat.ts';
import type { OpenChat } from '../openChat.ts';

type FromPage<T extends ChatFromPage['type']> = Extract<ChatFromPage, { type: T }>;
export type Resend = FromPage<'resend'>;
export type Code = FromPage<'code'>;

export interface ChatTurnsDeps {
  readonly chat: OpenChat;
  /** The address of the host whose files they are; empty: this machine. */
  readonly host: string;
  /** The text editor that was active last. */
  lastEditor(): TextEditor | undefined;
  previewEdit(edit: FileEdit): void;
  post(message: ChatToPage): void;
  /** @returns whether every file could be saved */
  saveAll(): Promise<boolean>;
  /** Sends a prompt with what is attached. @returns false when nothing was sent */
  send(text: string): Promise<boolean>;
  /** Shows the chat of another session of the same host. */
  openChat(session: string): void;
}

/** What the toolbars of one chat's transcript do. */
export interface ChatTurns {
  turn(turnId: string, what: Exclude<FromPage<'turn'>['what'], 'again'>): Promise<void>;
  resend(message: Resend): Promise<void>;
  code(message: Code): Promise<void>;
  /** Shows the file that a call changed, or wants to, at the first line that differs. */
  openFile(edit: FileEdit): Promise<void>;
}

/** What `dist/chatturns.cjs` gives. */
export interface ChatTurnsModule {
  openChatTurns(deps: ChatTurnsDeps): ChatTurns;
}
