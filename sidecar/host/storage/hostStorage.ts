import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type AnnotationRows, annotationRows } from './annotationRows.ts';
import { type ChangesetRows, changesetRows } from './changesetRows.ts';
import { type ChatRows, chatRows } from './chatRows.ts';
import { type Checkpointer, openCheckpointer } from './checkpointer.ts';
import { type ConversationRows, conversationRows } from './conversationRows.ts';
import { markDamaged, openDatabase } from './database.ts';
import { type DecisionRows, decisionRows } from './decisionRows.ts';
import { type DispatchRows, dispatchRows } from './dispatchRows.ts';
import { JOURNAL, type Journal, type JournalFiles, openJournal } from './journal.ts';
import { type RestoreRows, restoreRows } from './restoreRows.ts';
import { type SessionRows, sessionRows } from './sessionRows.ts';
import { type SmallRows, smallRows } from './smallRows.ts';
import { type SpendingRows, spendingRows } from './spendingRows.ts';
import { toStorageFault } from './storageFault.ts';
import { openTimedSync } from './timedSync.ts';
import { type TurnChanges, turnChanges } from './turnChanges.ts';

export interface StorageDeps {
  readonly dataDir: string;
  /** RFC 3339, UTC; names the folder of a file that was set aside. */
  readonly now: string;
  /** The file turned out damaged while in use: it is set aside at the next start. */
  readonly onDamage: () => void;
  readonly warn: (message: string) => void;
  /** Instead of the system's; for tests. */
  readonly journalFiles?: JournalFiles;
}

/** The host's database: synchronous, one connection, rows by subject. Used by `host/state` and the effects. */
export interface HostStorage {
  readonly sessions: SessionRows;
  readonly chats: ChatRows;
  readonly changesets: ChangesetRows;
  readonly annotations: AnnotationRows;
  readonly dispatches: DispatchRows;
  readonly small: SmallRows;
  readonly restores: RestoreRows;
  readonly conversations: ConversationRows;
  readonly decisions: DecisionRows;
  readonly spending: SpendingRows;
  /** For the index of transcripts. */
  readonly turnChanges: TurnChanges;
  readonly journal: Journal;
  /** Whether the journal is as durable as was asked for: not where a power cut must cost nothing. */
  readonly mayJournal: boolean;
  /** The folder with the file that could not be used, when there was one. */
  readonly setAside?: string;
  /**
   * Runs `work` in one transaction.
   * @throws {StorageFault} and leaves nothing behind
   */
  transaction<T>(work: () => T): T;
  /** Runs `settle` before rows of sessions, chats and changesets are used, except inside a transaction. */
  onUse(settle: () => void): void;
  /** A power failure could undo something that was written, until `sync` has ended. Always false with `full`. */
  readonly needsSync: boolean;
  /** Makes writes durable on another thread. @returns false if the disk refused, so that a sync is still needed */
  sync(): Promise<boolean>;
  /** With `full`, a power failure undoes nothing; with `normal`, only what was written since the last `sync`. */
  setDurability(durability: 'normal' | 'full'): void;
  /** Limits the file, in pages of 4,096 bytes; the tests' full disk. 0 lifts the limit. */
  limitPages(pages: number): void;
  /** Shrinks the log; for moments when nothing runs. */
  tidy(): void;
  close(): Promise<void>;
}

/** @throws {StorageFault} when no database can be opened, not even a fresh one */
export function openStorage(deps: StorageDeps): HostStorage {
  const { sql, setAside, checkLater } = openDatabase(deps.dataDir, deps.now);
  const onDamage = () => {
    markDamaged((path) => writeFileSync(path, ''), deps.dataDir);
    deps.onDamage();
  };
  const checkpointer = openCheckpointer({
    file: join(deps.dataDir, 'host.db'),
    onDamage,
    onFailure: deps.warn,
    catchUp: () => void sql.exec('PRAGMA wal_checkpoint(PASSIVE)'),
  });
  if (checkLater) checkpointer.check();
  const lines = openJournal(join(deps.dataDir, JOURNAL), deps.journalFiles);
  const timedSync = openTimedSync([join(deps.dataDir, 'host.db-wal'), join(deps.dataDir, JOURNAL)], deps.warn);
  const journal: Journal = {
    ...lines,
    get hasLines() {
      return lines.hasLines;
    },
    append(texts, before) {
      const chain = lines.append(texts, before);
      timedSync.wrote();
      return chain;
    },
  };
  const changedTurns = turnChanges(sql);
  const rows = {
    sessions: sessionRows(sql),
    chats: chatRows(sql, changedTurns),
    changesets: changesetRows(sql),
    annotations: annotationRows(sql),
  };
  let mayJournal = true;
  let settle = (): void => undefined;
  const settled = <T>(those: T): T => {
    if (!sql.isTransaction) settle();
    return those;
  };
  const [begin, commit] = [sql.prepare('BEGIN IMMEDIATE'), sql.prepare('COMMIT')];
  return {
    get sessions() {
      return settled(rows.sessions);
    },
    get chats() {
      return settled(rows.chats);
    },
    get changesets() {
      return settled(rows.changesets);
    },
    journal,
    get mayJournal() {
      return mayJournal;
    },
    onUse: (work) => void (settle = work),
    get annotations() {
      return settled(rows.annotations);
    },
    dispatches: dispatchRows(sql),
    small: smallRows(sql),
    restores: restoreRows(sql),
    conversations: conversationRows(sql),
    decisions: decisionRows(sql),
    spending: spendingRows(sql),
    turnChanges: changedTurns,
    ...(setAside !== undefined && { setAside }),
    transaction(work) {
      const result = runTransaction({ sql, begin, commit }, checkpointer, work, onDamage);
      if (mayJournal) timedSync.wrote(); // else the commit waited for the disk
      return result;
    },
    get needsSync() {
      return timedSync.isNeeded;
    },
    sync: () => timedSync.sync(),
    setDurability(durability) {
      mayJournal = durability !== 'full';
      sql.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
      // On macOS, only this reaches the disk itself. Elsewhere, it changes nothing.
      sql.exec(`PRAGMA fullfsync = ${durability === 'full' ? 'ON' : 'OFF'}`);
    },
    limitPages: (pages) => sql.exec(`PRAGMA max_page_count = ${pages === 0 ? 4_294_967_294 : pages}`),
    tidy() {
      // A turn may end after its host has closed. By then, the file may belong to another host, so no thread is started on it.
      if (sql.isOpen) checkpointer.tidy();
    },
    async close() {
      await timedSync.close();
      await checkpointer.close();
      sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      sql.close();
      journal.close();
    },
  };
}

/** BEGIN and COMMIT are prepared once: parsing them anew cost a quarter of a small transaction. */
interface Transactions {
  readonly sql: DatabaseSync;
  readonly begin: StatementSync;
  readonly commit: StatementSync;
}

function runTransaction<T>(
  { sql, begin, commit }: Transactions,
  checkpointer: Checkpointer,
  work: () => T,
  onDamage: () => void,
): T {
  try {
    begin.run();
    const result = work();
    commit.run();
    checkpointer.wrote();
    return result;
  } catch (thrown) {
    if (sql.isTransaction) sql.exec('ROLLBACK');
    const fault = toStorageFault(thrown);
    if (fault.failure === 'damaged') onDamage();
    throw fault;
  }
}
