import { realpath, stat } from 'node:fs/promises';
import { basename, parse } from 'node:path';
import { folderNeeded } from '../../../agents/folderNeeded.ts';
import { Fault } from '../../../platform/faults.ts';
import { pathOf } from '../paths.ts';

/** Where an agent works. */
export interface WorkingFolders {
  /** Absolute real paths; the first is the current folder. */
  readonly folders: readonly string[];
  /** Another one when a folder was replaced by another of the same name. */
  readonly identity: string;
}

/**
 * The folders of a session as they are now. Asked when it is made, looked at, and before each turn, since a folder can be
 * renamed or removed at any time: no agent works anywhere else than in its folders (`host.folder.checked`).
 * @param needed whether the agent works in no session without a folder
 * @throws {Fault} `folder_gone`, `folder_needed`
 */
export async function workingFolders(uris: readonly string[], needed: boolean): Promise<WorkingFolders> {
  if (uris.length === 0 && needed) throw folderNeeded();
  const found = await Promise.all(uris.map((it) => lookAt(it)));
  return { folders: found.map((it) => it.real), identity: found.map((it) => it.identity).join(' ') };
}

async function lookAt(uri: string): Promise<{ real: string; identity: string }> {
  const path = pathOf(uri);
  if (path === undefined) throw gone(undefined, 'is not on this machine');
  const name = basename(path);
  try {
    const real = await realpath(path);
    const found = await stat(real, { bigint: true });
    if (!found.isDirectory()) throw gone(name, 'was replaced by a file');
    if (isRoot(real)) throw gone(name, 'is the root of the file system, where agents are not allowed to work');
    return { real, identity: `${found.dev}:${found.ino}` };
  } catch (thrown) {
    if (thrown instanceof Fault || !(thrown instanceof Error && 'code' in thrown)) throw thrown;
    throw gone(name, 'cannot be opened. It was renamed, moved, or deleted, or access is denied', thrown);
  }
}

/** @throws {Fault} `invalid_params`, naming the first member of `field` that can be no folder of this machine */
export function requireFolderUris(uris: readonly string[], field: (index: number) => string): void {
  const wrong = uris.findIndex((it) => {
    const path = pathOf(it);
    return path === undefined || path === '' || isRoot(path);
  });
  if (wrong >= 0)
    throw new Fault('invalid_params', `${field(wrong)}: must be the file URI of a folder other than the root`);
}

export function isRoot(path: string): boolean {
  return parse(path).root === path;
}

function gone(name: string | undefined, how: string, cause?: unknown): Fault {
  const which = name ? ` "${name}"` : '';
  const help = 'Restore the folder, or start a new session in another folder.';
  return new Fault('folder_gone', `The agent cannot work because its folder${which} ${how}. ${help}`, { cause });
}
