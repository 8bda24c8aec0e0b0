import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SessionFiles } from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import { requireInside } from '../changes/snapshots/insideFolders.ts';
import { asFaults } from '../files/fileFaults.ts';
import { toRealPath } from './paths.ts';

/**
 * Files of the session's folders, for agents that read and write through the host.
 * @param refuse why nothing may be written now
 */
export function turnFiles(
  folders: readonly string[],
  capture: (paths: readonly string[]) => Promise<void>,
  refuse: () => string | undefined,
): SessionFiles {
  const real = async (path: string) => requireInside(await toRealPath(await requireInside(path, folders)), folders);
  return {
    async readText(path) {
      return asFaults(async () => readFile(await real(path), 'utf8'));
    },
    async writeText(path, content) {
      const refused = refuse();
      if (refused !== undefined) throw new Fault('forbidden', refused);
      await asFaults(async () => {
        const target = await real(path);
        await capture([target]);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, content);
      });
    },
  };
}
