import * as vscode from 'vscode';
import { contextKeys } from '../../manifest/manifest.ts';
import { type Arrangement, isFiltered, noFilter } from './groups.ts';
import { pinsKey, readPins } from './pins.ts';

type Kept = Omit<Arrangement, 'pinned'>;

const choiceKey = 'sessions.arrangement';

/** How the person wants the list: of this workspace, but for the pins, which go where the person goes. */
export class KeptArrangement implements vscode.Disposable {
  readonly #ofWorkspace: vscode.Memento;
  readonly #ofPerson: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #now: Arrangement;

  constructor(ofWorkspace: vscode.Memento, ofPerson: vscode.Memento) {
    this.#ofWorkspace = ofWorkspace;
    this.#ofPerson = ofPerson;
    const kept = ofWorkspace.get<Partial<Kept>>(choiceKey);
    this.#now = {
      groupBy: 'time',
      sortBy: 'updated',
      ...kept,
      filter: { ...noFilter, ...kept?.filter },
      pinned: readPins(this.#ofPerson),
    };
    this.#tell();
  }

  get now(): Arrangement {
    return this.#now;
  }

  async change(wanted: Partial<Kept>): Promise<void> {
    const { pinned, ...kept } = { ...this.#now, ...wanted };
    this.#now = { ...kept, pinned };
    this.#tell();
    await this.#ofWorkspace.update(choiceKey, kept);
  }

  /** Another window may have pinned meanwhile, so what is kept is read again. */
  async pin(uris: readonly string[], isPinned: boolean): Promise<void> {
    const pinned = readPins(this.#ofPerson);
    for (const it of uris) {
      if (isPinned) pinned.add(it);
      else pinned.delete(it);
    }
    this.#now = { ...this.#now, pinned };
    this.#tell();
    await this.#ofPerson.update(pinsKey, [...pinned]);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #tell(): void {
    void vscode.commands.executeCommand('setContext', contextKeys.sessionsFiltered, isFiltered(this.#now.filter));
    this.#changed.fire();
  }
}
