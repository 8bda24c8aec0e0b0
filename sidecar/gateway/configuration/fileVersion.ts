import { stat as statThen } from 'node:fs';
import { promisify } from 'node:util';

/** `node:fs/promises` loads modules of Node that a start does not need. */
const stat = promisify(statThen);
const MISSING = 'missing';

/**
 * Returns a string that changes when the content of the file changes. It leaves out the inode number, because some network file
 * systems give the same file a new one from time to time.
 * @param file absolute
 * @returns `undefined` while it cannot be found out, as during a network error
 */
export async function versionOf(file: string): Promise<string | undefined> {
  try {
    const { size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return `${size} ${mtimeNs} ${ctimeNs}`;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? MISSING : undefined;
  }
}
