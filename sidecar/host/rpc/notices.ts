import type { Notice } from '../../protocol/window.ts';
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
  full(isFull: boolean): void {
    const message =
      'There is no space left on the disk. Nothing new is accepted until there is; what agents said is kept.';
    if (isFull === this.#own.has('diskFull')) return;
    if (isFull) return this.#put({ id: 'diskFull', kind: 'diskFull', message });
    this.#own.delete('diskFull');
    this.#send();
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
