import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Timers } from '../../platform/timers.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import { type LoadedConfig, loadConfig } from './loadConfig.ts';
import type { ConfigProblem, Finding } from './problem.ts';

/** What came of reading the file once. */
export type Reloaded =
  | {
      readonly kind: 'applied';
      readonly config: GatewayConfig;
      readonly loaded: LoadedConfig;
      readonly changes: number;
    }
  /** The configuration of before stays in use. */
  | { readonly kind: 'kept'; readonly problems: readonly (ConfigProblem | Finding)[] }
  /** So does it here: the database did not answer, or a bug. Tried again with the next change. */
  | { readonly kind: 'failed'; readonly thrown: unknown };

export interface WatchDeps {
  /** Absolute. */
  readonly file: string;
  /** No file is the same as one that says nothing. */
  readonly isOptional?: boolean;
  /** As `applyConfig`: writes the records. */
  readonly apply: (
    config: GatewayConfig,
    loaded: LoadedConfig,
  ) => Promise<{ readonly changes: readonly unknown[] } | { readonly findings: readonly Finding[] }>;
  /** Hears of every reading but the first, which `start` answers. */
  readonly reloaded: (outcome: Reloaded) => void;
  readonly timers: Pick<Timers, 'after'>;
}

/** Editors write a file in several steps. */
const QUIET_MS = 200;

/**
 * Keeps the records in line with the file while it changes. Only records change, through the store: calls that run go on.
 * A file that is wrong changes nothing.
 */
export class ConfigWatch {
  readonly #deps: WatchDeps;
  readonly #watchers = new Map<string, { readonly close: () => void; names: ReadonlySet<string> }>();
  #takeBack: () => void = () => undefined;
  #running: Promise<Reloaded> | undefined;
  #isClosed = false;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /**
   * Reads the file for the first time and begins to watch it, whether or not it could be read.
   * @param before the result of an earlier reading
   */
  async start(before?: LoadedConfig): Promise<Reloaded> {
    this.#watch([this.#deps.file]);
    return this.#read(before);
  }

  /** Reads it now. One reading at a time. */
  async reload(): Promise<void> {
    while (this.#running) await this.#running;
    if (!this.#isClosed) this.#deps.reloaded(await this.#read());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#takeBack();
    for (const it of this.#watchers.values()) it.close();
    await this.#running;
  }

  #read(before?: LoadedConfig): Promise<Reloaded> {
    this.#running = this.#readOnce(before).catch((thrown: unknown) => ({ kind: 'failed' as const, thrown }));
    return this.#running.finally(() => {
      this.#running = undefined;
    });
  }

  async #readOnce(before: LoadedConfig | undefined): Promise<Reloaded> {
    const loaded = await loadConfig(this.#deps.file, this.#deps.isOptional, before);
    this.#watch(loaded.files);
    if (!('config' in loaded.result)) return { kind: 'kept', problems: loaded.result.problems };
    const { config } = loaded.result;
    const applied = await this.#deps.apply(config, loaded);
    if ('findings' in applied) return { kind: 'kept', problems: applied.findings };
    return { kind: 'applied', config, loaded, changes: applied.changes.length };
  }

  /** Folders and not files: editors and mounts put a new file in the place of the old one. */
  #watch(files: readonly string[]): void {
    if (this.#isClosed) return;
    const folders = new Map<string, Set<string>>();
    for (const it of files) {
      const names = folders.get(dirname(it)) ?? new Set();
      folders.set(dirname(it), names.add(basename(it)));
    }
    for (const [folder, { close }] of this.#watchers) {
      if (folders.has(folder)) continue;
      close();
      this.#watchers.delete(folder);
    }
    for (const [folder, names] of folders) {
      const known = this.#watchers.get(folder);
      if (known) known.names = names;
      else this.#open(folder, names);
    }
  }

  #open(folder: string, names: ReadonlySet<string>): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        const current = this.#watchers.get(folder)?.names;
        // Mounted configurations change by a link whose name begins with two dots.
        if (name === null || current?.has(name) || name.startsWith('..')) this.#later();
      });
      watcher.on('error', () => watcher.close());
      this.#watchers.set(folder, { close: () => watcher.close(), names });
    } catch {
      // A folder that is not there has nothing to watch; the reading says what is missing.
    }
  }

  #later(): void {
    this.#takeBack();
    this.#takeBack = this.#deps.timers.after(QUIET_MS, () => void this.reload());
  }
}
