import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SessionFiles } from '../../agents/provider.ts';
import { requireInside } from '../changes/snapshots/insideFolders.ts';
import { asFaults } from '../files/fileFaults.ts';
import { toRealPath } from './paths.ts';

/** Files of the session's folders, for agents that read and write through the host. */
export function turnFiles(
  folders: readonly string[],
  capture: (paths: readonly string[]) => Promise<void>,
): SessionFiles {
  const real = async (path: string) => requireInside(await toRealPath(await requireInside(path, folders)), folders);
  return {
    async readText(path) {
      return asFaults(async () => readFile(await real(path), 'utf8'));
    },
    async writeText(path, content) {
      await asFaults(async () => {
        const target = await real(path);
        await capture([target]);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, content);
      });
    },
  };
}
