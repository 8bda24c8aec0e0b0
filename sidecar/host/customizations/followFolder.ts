import { dirname } from 'node:path';
import { URI } from 'vscode-uri';
import type { Timers } from '../../platform/timers.ts';
import { type CustomizationFiles, diskFiles } from './files.ts';
import { FolderWatch } from './watchFolders.ts';

/** Several changes within this time are one. */
const GATHER_MS = 200;

export interface FollowOptions<T> {
  /** A real path: nothing outside is read. */
  readonly root: string;
  readonly scan: (files: CustomizationFiles) => Promise<T>;
  /** Told after every scan, also when nothing is different. */
  readonly onScanned: (found: T) => void;
  readonly onTrouble: (thrown: unknown) => void;
  /** Runs `work` later, and answers what stops it. */
  readonly timers: Pick<Timers, 'after'>;
}

/** Scans, watches every folder that the scan looked at, and scans again after each change. @returns what ends it */
export function followFolder<T>(options: FollowOptions<T>): () => void {
  const state = { isClosed: false, isScanning: false, isDirty: false };
  let stop: (() => void) | undefined;
  const watching = new FolderWatch(() => {
    state.isDirty = true;
    if (!state.isScanning && !state.isClosed) arm();
  });
  start();
  return () => {
    state.isClosed = true;
    stop?.();
    watching.close();
  };

  function arm(): void {
    stop ??= options.timers.after(GATHER_MS, () => {
      stop = undefined;
      start();
    });
  }
  function start(): void {
    scan().catch(options.onTrouble);
  }

  async function scan(): Promise<void> {
    if (state.isScanning || state.isClosed) return;
    state.isScanning = true;
    try {
      for (let isNew = true; isNew && !state.isClosed; ) {
        state.isDirty = false;
        const looked = new Set<string>();
        const found = await options.scan(noting(diskFiles(options.root), looked));
        if (state.isClosed) return;
        // What was not watched while it was read may have changed meanwhile: it is read once more.
        isNew = watching.sync(looked);
        if (!isNew) options.onScanned(found);
      }
    } finally {
      state.isScanning = false;
      if (state.isDirty && !state.isClosed) arm();
    }
  }
}

function noting(files: CustomizationFiles, looked: Set<string>): CustomizationFiles {
  return {
    list(folder) {
      looked.add(URI.parse(folder).fsPath);
      return files.list(folder);
    },
    read(uri) {
      looked.add(dirname(URI.parse(uri).fsPath));
      return files.read(uri);
    },
  };
}
