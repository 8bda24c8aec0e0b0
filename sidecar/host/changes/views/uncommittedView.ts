import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { Fault } from '../../../platform/faults.ts';
import type { ErrorInfo } from '../../../protocol/shared.ts';
import { parseGlobs } from '../../files/globs.ts';
import { TreeWatch } from '../../files/watchTree.ts';
import { MAX_UNCOMMITTED, readUncommitted, type Uncommitted } from '../git/uncommittedFiles.ts';
import type { ChangesetLedger } from '../ledger/changesetLedger.ts';
import { uncommittedOperations } from '../ledger/viewOperations.ts';
import type { View, ViewsDeps } from './views.ts';

/** What comes together is looked at together. */
const GATHER_MS = 200;
/** How often a folder is looked at that has too many folders to be watched. */
const LOOK_MS = 10_000;
const NO_REPOSITORY = {
  errorType: 'noRepository',
  message: "This session's folders do not contain a Git repository.",
};
const CUT = {
  errorType: 'tooMany',
  message: `There are more than ${MAX_UNCOMMITTED} uncommitted files. The rest are not shown.`,
};

type Deps = Pick<ViewsDeps, 'git' | 'store' | 'content' | 'remember' | 'foldersOf' | 'timers' | 'report'>;

/** What git has not of the folders of a session: looked at again whenever something in them, or in git, moves. */
export class UncommittedView implements View {
  readonly #deps: Deps;
  readonly #session: string;
  readonly #ledger: ChangesetLedger;
  readonly #trees = new Map<string, TreeWatch | 'opening' | 'tooMany'>();
  readonly #gitFolders = new Map<string, FSWatcher>();
  #stopTimer: (() => void) | undefined;
  #stopLooking: (() => void) | undefined;
  #isReading = false;
  #isDirty = false;
  #isClosed = false;

  constructor(deps: Deps, session: string, ledger: ChangesetLedger) {
    this.#deps = deps;
    this.#session = session;
    this.#ledger = ledger;
  }

  refresh(): void {
    if (this.#isReading) this.#isDirty = true;
    else void this.#read();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#stopLooking?.();
    for (const tree of this.#trees.values()) if (typeof tree === 'object') tree.close();
    for (const it of this.#gitFolders.values()) it.close();
  }

  /** Something moved. */
  readonly #mark = (): void => {
    if (this.#isClosed) return;
    this.#stopTimer ??= this.#deps.timers.after(GATHER_MS, () => {
      this.#stopTimer = undefined;
      this.refresh();
    });
  };

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      do {
        this.#isDirty = false;
        const folders = await this.#deps.foldersOf(this.#session);
        const found = await readUncommitted({ git: this.#deps.git, keep: (bytes) => this.#keep(bytes) }, folders);
        if (this.#isGone) return;
        this.#show(found);
        if (found) await this.#watch(folders, found.gitFolders);
      } while (this.#isDirty && !this.#isGone);
    } catch (thrown) {
      this.#deps.report(thrown);
      if (!this.#isGone) this.#setError({ errorType: 'git', message: 'Git could not list the uncommitted changes.' });
    } finally {
      this.#isReading = false;
    }
  }

  get #isGone(): boolean {
    return this.#isClosed || !this.#deps.store.has(this.#ledger.channel);
  }

  async #keep(bytes: Uint8Array) {
    const stored = await this.#deps.content.put(bytes);
    this.#deps.remember(this.#session, stored.sha, stored.size);
    return stored;
  }

  #show(found: Uncommitted | undefined): void {
    this.#ledger.show(found?.files ?? []);
    this.#ledger.offerOperations(found ? uncommittedOperations(this.#ledger.state.files) : []);
    if (!found) this.#setError(NO_REPOSITORY);
    else if (found.isCut) this.#setError(CUT);
    else this.#ledger.setStatus('ready');
  }

  #setError(error: ErrorInfo): void {
    const { status, error: known } = this.#ledger.state;
    if (status === 'error' && known?.message === error.message) return;
    this.#ledger.commit({ type: 'changeset/statusChanged', status: 'error', error });
  }

  async #watch(folders: readonly string[], gitFolders: readonly string[]): Promise<void> {
    for (const it of gitFolders) {
      if (this.#gitFolders.has(it)) continue;
      const watcher = watch(it, { persistent: false });
      // Its own lock files come and go with each look.
      watcher.on('change', (_type, name) => String(name).endsWith('.lock') || this.#mark());
      watcher.on('error', () => undefined); // the repository is gone: the next look says so
      this.#gitFolders.set(it, watcher);
    }
    for (const folder of folders) if (!this.#trees.has(folder)) await this.#watchTree(folder);
    if (this.#isClosed) this.close();
  }

  /** Changes while the watch is being opened are not reported: so it looks once more. */
  async #watchTree(folder: string): Promise<void> {
    this.#trees.set(folder, 'opening');
    try {
      const tree = await TreeWatch.open(
        { real: folder, kind: 'folder' },
        {
          recursive: true,
          excludes: parseGlobs(['**/.git/**', '**/node_modules/**'], 'excludes'),
          timers: this.#deps.timers,
          onChanges: this.#mark,
          onFailed: this.#deps.report,
        },
      );
      this.#trees.set(folder, tree);
      this.#isDirty = true;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      this.#trees.set(folder, 'tooMany');
      this.#lookNowAndThen();
    }
  }

  #lookNowAndThen(): void {
    if (this.#isClosed || this.#stopLooking) return;
    const again = () => {
      this.refresh();
      this.#stopLooking = this.#deps.timers.after(LOOK_MS, again);
    };
    this.#stopLooking = this.#deps.timers.after(LOOK_MS, again);
  }
}
