import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SessionFiles } from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import { requireInside } from '../changes/snapshots/insideFolders.ts';
import { asFaults, codeOf } from '../files/fileFaults.ts';
import { toRealPath } from './paths.ts';

const CHANGED = 'This file was replaced by a link while the user was being asked, so it was not written.';

export interface FileWrite {
  /** Real. */
  readonly path: string;
  readonly content: string;
  /** What the file holds now; nothing where there is none. */
  held(): Promise<string | undefined>;
  perform(): Promise<void>;
}

/**
 * Files of the session's folders, for agents that read and write through the host.
 * @param write decides about a file before it is written, and may ask a person
 */
export function turnFiles(
  folders: readonly string[],
  capture: (paths: readonly string[]) => Promise<void>,
  write: (change: FileWrite) => Promise<void>,
): SessionFiles {
  const real = async (path: string) => requireInside(await toRealPath(await requireInside(path, folders)), folders);
  return {
    async readText(path) {
      return asFaults(async () => readFile(await real(path), 'utf8'));
    },
    async writeText(path, content) {
      await asFaults(async () => {
        const target = await real(path);
        await write({
          path: target,
          content,
          held: () => textIn(target),
          async perform() {
            if ((await real(path)) !== target) throw new Fault('forbidden', CHANGED); // a link was put there meanwhile
            await capture([target]);
            await mkdir(dirname(target), { recursive: true });
            await writeFile(target, content);
          },
        });
      });
    },
  };
}

async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return undefined;
    throw thrown;
  }
}
