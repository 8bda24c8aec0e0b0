import type { TextEditor } from 'vscode';
import type { Sessions } from '../../../client/catalogue.ts';
import type { AddedPart } from '../../../client/texts.ts';
import type { AttachKind, ChatToPage } from '../../contract/chat.ts';
import type { OpenChat } from '../openChat.ts';

/** What a person wants attached. */
export type Addition =
  /** Asks which one, where there are several. */
  | { readonly kind: AttachKind }
  | { readonly kind: 'uris'; readonly uris: readonly string[] }
  | { readonly kind: 'bytes'; readonly name: string; readonly contentType: string; readonly data: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parts'; readonly parts: readonly AddedPart[] }
  /** What the working tree holds of these files and git has not. */
  | { readonly kind: 'changesOf'; readonly uris: readonly string[] }
  /** The last command with its output, where the terminal knows it; otherwise all that it shows. */
  | { readonly kind: 'activeTerminal' }
  | { readonly kind: 'terminalSelection' };

export interface AttachingDeps {
  readonly chat: OpenChat;
  readonly catalogue: Pick<Sessions, 'sessions'>;
  /** The name of the host if it is not this machine. Such a host cannot read files on this machine. */
  readonly hostName: string | undefined;
  /** The text editor that was active last. */
  lastEditor(): TextEditor | undefined;
  /** Creates the session when there is none yet: it keeps what is too large for a message. */
  ensureSession(): Promise<string>;
  /** What was said in a chat, in words. */
  transcriptOf(turns: NonNullable<OpenChat['chat']>['turns']): string;
  post(message: ChatToPage): void;
}

/** What goes with the next message of one chat. */
export interface Attaching {
  /** What cannot be attached is said in the chat. */
  add(addition: Addition): Promise<void>;
  /** Puts the text of an attachment into the message. */
  asText(id: string): Promise<void>;
  /** Sends the page an image, of which it makes a small picture. */
  preview(id: string): Promise<void>;
  /** The page made a small picture of an image. */
  thumbnail(id: string, src: string): void;
}

/** What `dist/attach.cjs` gives. */
export interface AttachModule {
  openAttaching(deps: AttachingDeps): Attaching;
}
