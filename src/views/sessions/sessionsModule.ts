import type * as vscode from 'vscode';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { TreeStub } from '../../activation/treeStub.ts';
import type { AnswerIds } from '../../client/answerIds.ts';
import type { Host, Hosts } from '../../client/hosts.ts';
import type { Disposable, HostPort } from '../../client/port.ts';
import type { AddedPart } from '../../client/texts.ts';
import type { Dropped } from './drop.ts';
import type { LocalSessionsDeps } from './localSessions.ts';
import type { SessionsTree } from './provider.ts';
import type { RetentionDeps } from './retention/openRetention.ts';

/** What is done with sessions. */
const rowCommands = [
  'session.rename',
  'session.archive',
  'session.unarchive',
  'session.delete',
  'session.markRead',
  'session.markUnread',
  'session.pin',
  'session.unpin',
  'session.export',
  'session.copyAll',
  'session.continue',
  'session.continueIn',
  'session.mergeWorktree',
  'sessions.markAllRead',
  'sessions.archiveAll',
] as const;
/** What is done with the view. */
const viewCommands = [
  'sessions.search',
  'sessions.searchTranscripts',
  'sessions.filter',
  'sessions.resetFilter',
  'sessions.arrange',
  'sessions.showMore',
  'sessions.bringIn',
  'sessions.import',
] as const;
export type RowCommand = (typeof rowCommands)[number];

/** What the rows and the title of the view run; each with `switchboard.` in front is an id of `package.json`. */
export const sessionsCommands = [...rowCommands, ...viewCommands];
export type SessionsCommand = (typeof sessionsCommands)[number];

/** @see SessionsChats.open */
export interface NewChat {
  readonly provider: string;
  readonly prompt: string;
  readonly host?: string;
  readonly add: { readonly kind: 'parts'; readonly parts: readonly AddedPart[] };
}

/** Where sessions are shown. */
export interface SessionsChats {
  /** The session of the chat that was used last. */
  readonly active: string | undefined;
  /** A place shows it, or would if somebody went there. */
  isOpen(session: string): boolean;
  /** Read-only documents. */
  readonly outputs: { open(title: string, text: string, extension: string): Promise<void> };
  /** @param options.host its address; absent: this machine. `add` goes with the next message. */
  open(session: string, options?: { readonly turnId?: string; readonly host?: string; readonly add?: Dropped }): void;
  /** A new chat with an agent. Nothing is sent before the person sends it. */
  open(session: undefined, options: NewChat): void;
}

export interface SessionsDeps extends Pick<RetentionDeps, 'log'> {
  readonly tree: TreeStub;
  readonly hosts: Hosts;
  /** One-time ids of the answers in the rows. */
  readonly answerIds: AnswerIds;
  readonly local: LocalSessionsDeps;
  readonly workspaceState: vscode.Memento;
  readonly globalState: vscode.Memento;
  readonly chats: SessionsChats;
  /** Where a new session works, as a URI. */
  readonly folders: { readonly folder: string | undefined };
}

/** What `dist/sessions.cjs` makes. */
export interface OpenedSessions extends vscode.Disposable {
  /** The sessions of this machine. */
  readonly local: SessionsTree;
  /** Those of a host elsewhere. */
  makeTree(host: Host, onDidChangeRoot: (listener: () => void) => Disposable): SessionsTree;
  /** Files that a person dropped on a row. */
  drop(row: unknown, data: vscode.DataTransfer): Promise<void>;
  /** @param rows all selected rows, where several are */
  run(command: SessionsCommand, row: unknown, rows: unknown): unknown;
}

export interface SessionsModule {
  openSessions(deps: SessionsDeps): OpenedSessions;
  /** Lets the user set the budget of a session. A call that would exceed it waits until the user decides. */
  setBudget(port: HostPort, session: SessionSummary): Promise<void>;
}
