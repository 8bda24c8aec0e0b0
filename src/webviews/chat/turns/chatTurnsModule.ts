import type { Disposable, TextEditor, ViewColumn } from 'vscode';
import type { ChangesetFile } from '../../../../sidecar/protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../../../sidecar/protocol/shared.ts';
import type { ChatFromPage, ChatToPage } from '../../contract/chat.ts';
import type { InlineDiff } from '../../contract/inlineDiff.ts';
import type { OpenChat } from '../openChat.ts';

type FromPage<T extends ChatFromPage['type']> = Extract<ChatFromPage, { type: T }>;
export type Resend = FromPage<'resend'>;
export type Code = FromPage<'code'>;
export type FindInChat = FromPage<'find'>;
/** A tab, and what its menu offers. */
export type ChatOfPage = FromPage<'chat'>;

export interface ChatTurnsDeps {
  readonly chat: OpenChat;
  /** The address of the host whose files they are; empty: this machine. */
  readonly host: string;
  /** The text editor that was active last. */
  lastEditor(): TextEditor | undefined;
  /** The column in which to open files so that the chat stays visible. */
  readonly columnOfFiles: ViewColumn;
  previewEdit(edit: FileEdit): void;
  /** Shows files as they were beside what they are now. */
  compareFiles(title: string, files: readonly ChangesetFile[]): void;
  /** Shows what code would change in the file that it is for. */
  proposeCode(code: string): Promise<void>;
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
  turn(turnId: string, what: FromPage<'turn'>['what'] | 'skip'): Promise<void>;
  resend(message: Resend): Promise<void>;
  code(message: Code): Promise<void>;
  /** Renames, closes, opens again or deletes a chat of the session. */
  chat(message: ChatOfPage): Promise<void>;
  newChat(): Promise<void>;
  find(message: FindInChat): Promise<void>;
  /** Begins a chat beside the one that is shown, with a question where there is one. */
  askBeside(question?: string): Promise<void>;
  /** Takes a restore of this chat back. */
  redoRestore(): Promise<void>;
  /** Shows the file that a call changed, or wants to, at the first line that differs. */
  openFile(edit: FileEdit): Promise<void>;
  /** The beginning of what the edit changes. */
  diff(edit: FileEdit): Promise<InlineDiff>;
  /** Opens a link of the transcript that a person clicked. */
  openLink(href: string): Promise<void>;
}

/** Chats as documents. */
export interface ChatTexts {
  /** Shows the chat as text, in the document that it has already if it has one. */
  open(chat: OpenChat): Promise<void>;
  /** The chat is about to go. */
  closed(chat: OpenChat): void;
  dispose(): void;
}

/** Code in the files that it is for, before it is written. */
export interface CodeProposals extends Disposable {
  /** @param last the text editor that was active last */
  propose(code: string, last: TextEditor | undefined): Promise<void>;
  /** @param shown the address of the proposal, where a button of its editor was pressed */
  keep(shown: unknown): Promise<void>;
  discard(shown: unknown): Promise<void>;
}

/** What `dist/chatturns.cjs` exports. */
export interface ChatTurnsModule {
  openChatTurns(deps: ChatTurnsDeps): ChatTurns;
  openCodeProposals(): CodeProposals;
}

/** What `dist/chattexts.cjs` exports. */
export interface ChatTextsModule {
  openChatTexts(): ChatTexts;
}
