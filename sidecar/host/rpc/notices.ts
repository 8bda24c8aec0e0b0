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
    const message = 'The database could not be read. It was moved to a backup folder, and a new one was created.';
    this.#put({ id: 'databaseSetAside', kind: 'databaseSetAside', message, folder });
  }
  damaged(): void {
    const message = 'The database is damaged. It will be moved to a backup folder when the host restarts.';
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
  full: 'Free some disk space. The host will then continue automatically.',
  tooLarge: "Raise the system's file size limit. The host will then continue automatically.",
  readOnly: 'Make the data folder and its files writable. The host will then continue automatically.',
  disk: 'Check the disk. The host will continue automatically when it can write again.',
  busy: 'Close the other program. The host will then continue automatically.',
  constraint: 'If this persists, restart the host. Restarting discards any agent output that has not been saved.',
  failed: 'If this persists, restart the host. Restarting discards any agent output that has not been saved.',
  damaged: 'Restart the host. It will move the database to a backup folder and create a new one.',
  newer: 'Restart the host after you update Switchboard.',
};
const mendsByRestart: ReadonlySet<StorageFailure> = new Set(['constraint', 'failed', 'damaged', 'newer']);

function notSaved(failure: StorageFailure): Notice {
  const kind = failure === 'full' ? 'diskFull' : mendsByRestart.has(failure) ? 'cannotSave' : 'cannotWrite';
  const reason = failureReasons[failure];
  const what = 'No new work is accepted. Work already accepted is not lost, and agent output is kept in memory.';
  return { id: kind, kind, message: `${reason[0]?.toUpperCase()}${reason.slice(1)}. ${what} ${remedies[failure]}` };
}
