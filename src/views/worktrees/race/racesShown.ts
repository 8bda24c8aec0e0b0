import * as vscode from 'vscode';
import type { Host } from '../../../client/hosts.ts';
import { rootStateOf } from '../../../client/rootState.ts';
import { type RaceNode, raceNode, racerNodes } from './raceNodes.ts';
import { type RaceOf, racesOf } from './races.ts';

/** The races of the host of this machine, read from its sessions. */
export class RacesShown implements vscode.Disposable {
  readonly #host: Pick<Host, 'client' | 'catalogue'>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #stop: { dispose(): void };
  /** Read once for all rows, and again after a change. */
  #read: readonly RaceOf[] | undefined;

  constructor(host: Pick<Host, 'client' | 'catalogue'>) {
    this.#host = host;
    this.#stop = host.catalogue.onDidChange(() => {
      this.#read = undefined;
      this.#changed.fire();
    });
  }

  get rows(): RaceNode[] {
    return this.#all.map((it) => raceNode(vscode.l10n, it));
  }

  below({ race }: Pick<RaceNode, 'race'>): RaceNode[] {
    const found = this.#all.find((it) => it.id === race);
    return found ? this.#racers(found) : [];
  }

  /** The race of a row; without one the newest. */
  find(row: unknown): RaceOf | undefined {
    if (typeof row !== 'object' || row === null || !('race' in row)) return this.#all[0];
    return this.#all.find((it) => it.id === row.race);
  }

  /** What its rows are called, in the order of its sessions. */
  namesIn(race: RaceOf): string[] {
    return this.#racers(race).map((it) => it.label);
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }

  get #all(): readonly RaceOf[] {
    return (this.#read ??= racesOf(this.#host.catalogue.sessions));
  }

  #racers(race: RaceOf): RaceNode[] {
    const agents = rootStateOf(this.#host.client)?.agents ?? [];
    return racerNodes(vscode.l10n, race, (id) => agents.find((it) => it.provider === id)?.displayName ?? id);
  }
}
