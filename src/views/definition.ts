import type * as vscode from 'vscode';
import type { TreeStub } from '../activation/treeStub.ts';
import type { AnswerIds } from '../client/answerIds.ts';
import type { Changesets } from '../client/changesets.ts';
import type { Hosts } from '../client/hosts.ts';
import type { GatewaySource } from './gateway/provider.ts';
import type { SessionsDoor } from './sessions/door.ts';

/** What views draw from. */
export interface ViewDeps {
  /** All hosts of the window. As a port they ask the host of the session that a request names. */
  readonly hosts: Hosts;
  readonly changesets: Changesets;
  /** What is remembered for this workspace. */
  readonly workspaceState: vscode.Memento;
  /** What is remembered for the person, everywhere. */
  readonly globalState: vscode.Memento;
  /** One-time ids of the answers in the Inbox. */
  readonly answerIds: AnswerIds;
  /** What the Gateway view shows; `look` fetches it again. */
  readonly gateway: GatewaySource & { look(): Promise<void> };
  readonly sessions: SessionsDoor;
  readonly chats: {
    /** The session of the chat that was used last. */
    readonly active: string | undefined;
    readonly onDidChangeVisible: vscode.Event<void>;
  };
  /** The absolute path of a bundle below `dist`. */
  readonly bundle: (name: string) => string;
}

/**
 * A tree view. `package.json` contributes it and its commands, from which both are registered at activation; with the first
 * look at it, or the first of its commands, the window is loaded, which opens every view of the list in `index.ts`.
 */
export interface TreeDefinition {
  /** As `package.json` contributes it. */
  readonly id: string;
  /** Whether the host is started when the view comes into sight. */
  readonly needsHost: boolean;
  /** What only this view's rows and title run, by the ids that `package.json` contributes; with all rows that are selected. */
  readonly commands?: Readonly<Record<string, (row: unknown, deps: ViewDeps, rows: unknown) => unknown>>;
  /** Fills the tree. @returns what ends with the window */
  readonly open: (tree: TreeStub, deps: ViewDeps) => vscode.Disposable;
}
