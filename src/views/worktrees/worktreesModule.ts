import type * as vscode from 'vscode';
import type { TreeStub } from '../../activation/treeStub.ts';
import type { Host } from '../../client/hosts.ts';

export interface WorktreesDeps {
  readonly tree: TreeStub;
  /** Of this machine. */
  readonly host: Pick<Host, 'client' | 'catalogue'>;
  readonly pins: () => ReadonlySet<string>;
}

export type RaceCommand = 'check' | 'compare' | 'choose' | 'keep' | 'end';

export interface OpenedWorktrees extends vscode.Disposable {
  /** Asks for all again, with their sizes. */
  refresh(): Promise<void>;
  /** Asks, and then removes all in which nothing is lost. */
  cleanUp(): Promise<void>;
  /** Asks, and then removes the worktree of a row, or says why it stays. */
  remove(row: unknown): Promise<void>;
  /** Asks what races, and starts it. */
  startRace(): Promise<void>;
  /** Does something with the race of a row. */
  inRace(what: RaceCommand, row: unknown): Promise<void>;
}

/** What `dist/worktrees.cjs` gives. */
export interface WorktreesModule {
  openWorktrees(deps: WorktreesDeps): OpenedWorktrees;
}
