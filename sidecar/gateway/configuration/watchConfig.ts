import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Timers } from '../../platform/timers.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import { versionOf } from './fileVersion.ts';
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
  readonly timers: Pick<Timers, 'after' | 'every'>;
  /** Replaced in tests. */
  readonly versionOf?: typeof versionOf;
}

/** Editors write a file in several steps. */
const QUIET_MS = 200;
/** How often the files are compared: network file systems and some mounts report no changes, and watches can run out. */
const COMPARE_MS = 5_000;

/**
 * Keeps the records in line with the file while it changes. Only records change, through the store: calls that run go on.
 * A file that is wrong changes nothing.
 */
export class ConfigWatch {
  readonly #deps: WatchDeps;
  readonly #watchers = new Map<string, { readonly close: () => void; names: ReadonlySet<string> }>();
  /** Of each file when it was last read; `undefined` where that could not be found out. */
  #versions: ReadonlyMap<string, string | undefined> = new Map();
  #takeBack: () => void = () => undefined;
  #stopComparing: () => void = () => undefined;
  #isComparing = false;
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
    const { file } = this.#deps;
    this.#versions = new Map((before?.files ?? [file]).map((it) => [it, undefined]));
    this.#watch([file]);
    this.#stopComparing = this.#deps.timers.every(COMPARE_MS, () => void this.#compare());
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
    this.#stopComparing();
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
    // Before the reading, so that changes during the reading are noticed. Files that it adds are watched from then on.
    const known = await this.#versionsOf(this.#versions.keys());
    const loaded = await loadConfig(this.#deps.file, this.#deps.isOptional, before);
    const added = await this.#versionsOf(loaded.files.filter((it) => !known.has(it)));
    this.#versions = new Map(loaded.files.map((it) => [it, known.get(it) ?? added.get(it) ?? this.#versions.get(it)]));
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
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#unwatch(folder);
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
      watcher.on('error', () => this.#unwatch(folder)); // the next reading tries again
      this.#watchers.set(folder, { close: () => watcher.close(), names });
    } catch {
      // The folder is missing, or the system has no watches left. The files are still compared.
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  async #compare(): Promise<void> {
    if (this.#isComparing || this.#running) return;
    this.#isComparing = true;
    const read = this.#versions;
    const now = await this.#versionsOf(read.keys());
    this.#isComparing = false;
    if (this.#running || this.#versions !== read) return; // a reading has begun since
    const changed = [...read].filter(([file, version]) => now.get(file) !== undefined && now.get(file) !== version);
    if (changed.length === 0) return;
    // A folder may have been replaced. The next reading watches the new one.
    for (const [file] of changed) this.#unwatch(dirname(file));
    this.#later();
  }

  /** One file after the other: if a mount does not answer, only one of the process's few threads for files waits. */
  async #versionsOf(files: Iterable<string>): Promise<ReadonlyMap<string, string | undefined>> {
    const versions = new Map<string, string | undefined>();
    for (const it of files) versions.set(it, await (this.#deps.versionOf ?? versionOf)(it));
    return versions;
  }

  #later(): void {
    if (this.#isClosed) return;
    this.#takeBack();
    this.#takeBack = this.#deps.timers.after(QUIET_MS, () => void this.reload());
  }
}
