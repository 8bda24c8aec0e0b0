import type { FileEdit } from '../../sidecar/protocol/shared.ts';
import type { SessionCatalogue } from '../client/catalogue.ts';
import type { HostClient } from '../client/hostClient.ts';

/** What the chat asks the rest of the extension to do. Each reports its own failure to the person. */
export interface ChatActions {
  /** Opens the multi-diff of one turn. */
  reviewChanges(session: string, turnId: string): void;
  keepAll(session: string, turnId: string): void;
  undoAll(session: string, turnId: string): void;
  /** Shows what a call wants to do to a file, or did, in a diff editor. */
  previewEdit(edit: FileEdit): void;
  /** Opens the agent's own login in a terminal, or asks for a token. `session` is absent before the first prompt. */
  signIn(agent: { readonly provider: string; readonly session?: string }): void;
  configureAgents(): void;
  openFolder(): void;
  restartHost(): void;
}

/** The part of the host's client that a chat uses. */
export type ChatPort = Pick<
  HostClient,
  'request' | 'dispatch' | 'open' | 'onDidConnect' | 'onDidDisconnect' | 'onDidReject'
>;

export interface ChatDeps {
  readonly port: ChatPort;
  readonly catalogue: SessionCatalogue;
  readonly actions: ChatActions;
  /** `switchboard.chat.location`, read each time a chat is opened. */
  readonly location: () => 'editor' | 'sideBar';
  readonly warn: (message: string) => void;
}

/** What the editor knows and a chat depends on. */
export interface EditorFacts {
  readonly isTrusted: boolean;
  readonly folders: readonly { readonly uri: string; readonly name: string }[];
  readonly unsavedFiles: number;
  readonly hasSelection: boolean;
}
