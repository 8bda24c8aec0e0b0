import type { ChangesetFile } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../../sidecar/protocol/shared.ts';
import type { Sessions } from '../../client/catalogue.ts';
import type { HostClient } from '../../client/hostClient.ts';
import type { Host } from '../../client/hosts.ts';
import type { AttachModule } from './attach/attachModule.ts';
import type { ChatTextsModule, ChatTurnsModule } from './turns/chatTurnsModule.ts';

/** The part of the host's client that a chat uses. */
export type ChatPort = Pick<
  HostClient,
  'request' | 'dispatch' | 'open' | 'onDidConnect' | 'onDidDisconnect' | 'onDidReject'
>;

export interface ChatDeps {
  readonly port: ChatPort;
  readonly catalogue: Sessions;
  /** The host elsewhere whose session this is, by its address; absent for one of this machine. */
  readonly hostOf: (session: string) => string | undefined;
  /** A host elsewhere; one that is not attached to never answers, and says so. */
  readonly elsewhere: (address: string) => Host;
  /** `switchboard.chat.location`, read each time a chat is opened. */
  readonly location: () => 'editor' | 'sideBar';
  /** The folder in which new sessions work, as a URI; absent: the first one. */
  readonly folder: () => string | undefined;
  /** What a new session of this workspace starts with. */
  readonly lastUsed: {
    readonly agent: string | undefined;
    modelOf(provider: string): string | undefined;
    /** Ids of models that stand first in the list: those that were pinned, and those that were used, the newest first. */
    favorites(provider: string | undefined): { readonly pinned: readonly string[]; readonly recent: readonly string[] };
    pinModel(provider: string, model: string, isPinned: boolean): Promise<void>;
    remember(used: { readonly provider?: string; readonly model?: string; readonly folder?: string }): Promise<void>;
  };
  /**
   * Shows what a call wants to do to a file, or did, as a diff of the two kept contents.
   * @param host whose they are: empty for this machine, otherwise its address
   */
  readonly previewEdit: (edit: FileEdit, host: string) => void;
  /** Shows files as they were beside what they are now. @param host whose they are */
  readonly compareFiles: (title: string, files: readonly ChangesetFile[], host: string) => void;
  /**
   * Signs the person in to what an agent needs tokens for.
   * @param host the address of a host elsewhere; absent: this machine
   * @returns false when they did not
   */
  readonly ensureSignedIn: (provider: string | undefined, host?: string) => Promise<boolean>;
  /** A person stopped the host of this machine; it starts again when something needs it. */
  readonly isHostStopped: () => boolean;
  /** The code behind the toolbars of the transcript. */
  readonly turns: () => ChatTurnsModule;
  /** The code that opens a chat as text. */
  readonly texts: () => ChatTextsModule;
  /** The code that finds what can be attached. */
  readonly attach: () => AttachModule;
  readonly warn: (message: string) => void;
}

/** What the chat asks the rest of the extension to do. Each reports its own failure to the person. */
export interface ChatActions {
  /** Opens the multi-diff. @param changeset URI of the changeset of one turn */
  reviewChanges(changeset: string): void;
  keepAll(changeset: string): void;
  undoAll(changeset: string): void;
  redo(changeset: string): void;
  /**
   * Opens the agent's own login in a terminal, or signs in to what it needs. `request` is the pending one that asks for it,
   * `provider` the agent of a chat without a session.
   */
  signIn(about: {
    readonly session?: string;
    readonly request?: string;
    readonly provider?: string;
    readonly host?: string;
  }): void;
  /** From the registry. @param then a new chat with it opens, or the one that nobody wrote to yet takes it */
  addAgent(then?: 'newChat'): void;
  /** A model for the built-in agent. */
  connectModel(): void;
  configureAgents(): void;
  openFolder(): void;
  restartHost(): void;
  showLog(): void;
}

/** What the editor knows and a chat depends on. */
export interface EditorFacts {
  readonly isTrusted: boolean;
  readonly folders: readonly { readonly uri: string; readonly name: string }[];
  /** Where a new session works, unless another folder is chosen in the composer. */
  readonly folder: string | undefined;
  readonly unsavedFiles: number;
  readonly hasSelection: boolean;
}
