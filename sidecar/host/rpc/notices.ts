import type { Notice } from '../../protocol/hostInfo.ts';
import { failureReasons, type StorageFailure } from '../storage/storageFault.ts';
import type { Connection } from './connection.ts';

/** What the host wants a person to know besides the state of sessions. Each change is sent to every client. */
export class HostNotices {
  readonly #connections: () => Iterable<Connection>;
  readonly #own = new Map<Notice['kind'], Notice>();
  #others: readonly Notice[] = [];

  constructor(connections: () => Iterable<Connection>) {
    this.#connections = connections;
  }

  get all(): readonly Notice[] {
    return [...this.#own.values(), ...this.#others];
  }

  /** @param folder holds the file that could not be used, as a URI */
  setAside(folder: string): void {
    const message = 'The database could not be read. It was set aside, and a new one begun.';
    this.#put({ id: 'databaseSetAside', kind: 'databaseSetAside', message, folder });
  }
  damaged(): void {
    const message = 'The database is damaged. It is set aside when the host starts again.';
    this.#put({ id: 'databaseSetAside', kind: 'databaseSetAside', message });
  }
  /** @param failure why nothing can be written; `undefined` when something can again */
  trouble(failure: StorageFailure | undefined): void {
    const notice = failure && notSaved(failure);
    const before = troubleKinds.map((it) => this.#own.get(it)).find((it) => it !== undefined);
    if (notice?.message === before?.message) return;
    if (before) this.#own.delete(before.kind);
    if (notice) this.#put(notice);
    else this.#send();
  }
  setOthers(notices: readonly Notice[]): void {
    this.#others = notices;
    this.#send();
  }

  #put(notice: Notice): void {
    this.#own.set(notice.kind, notice);
    this.#send();
  }
  #send(): void {
    for (const it of this.#connections()) if (it.hasClient) it.sendNotices(this.all);
  }
}

const troubleKinds = ['diskFull', 'cannotWrite', 'cannotSave'] as const;

/** What a person can do about it. Where that is nothing but waiting, the host goes on by itself. */
const remedies: Readonly<Record<StorageFailure, string>> = {
  full: 'Make room; the host goes on by itself.',
  tooLarge: "Raise the system's limit for the size of files; the host goes on by itself.",
  readOnly: 'Make the data folder and its files writable; the host goes on by itself.',
  disk: 'Check the disk; the host goes on by itself when it takes something again.',
  busy: 'Close the other program; the host goes on by itself.',
  constraint: 'If it stays so, restart the host. It forgets what agents said since then.',
  failed: 'If it stays so, restart the host. It forgets what agents said since then.',
  damaged: 'Restart the host: it sets the file aside and begins a new one.',
  newer: 'Restart the host: it sets the file aside and begins a new one.',
};
const mendsByRestart: ReadonlySet<StorageFailure> = new Set(['constraint', 'failed', 'damaged', 'newer']);

function notSaved(failure: StorageFailure): Notice {
  const kind = failure === 'full' ? 'diskFull' : mendsByRestart.has(failure) ? 'cannotSave' : 'cannotWrite';
  const reason = failureReasons[failure];
  const what = 'Nothing new is accepted; nothing that was accepted is lost, and what agents say is held.';
  return { id: kind, kind, message: `${reason[0]?.toUpperCase()}${reason.slice(1)}. ${what} ${remedies[failure]}` };
}
