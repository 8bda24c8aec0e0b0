import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { URI } from 'vscode-uri';

/** The one spelling of file URIs, so that they can be compared as text. */
export function toFileUri(path: string): string {
  return URI.file(path).toString();
}

/** The path of a `file:` URI; `undefined` for any other, and for what can be the path of no file. */
export function pathOf(uri: string): string | undefined {
  try {
    const { scheme, fsPath } = URI.parse(uri, true);
    return scheme === 'file' && !fsPath.includes('\0') ? fsPath : undefined;
  } catch {
    return undefined; // no URI at all
  }
}

/** The real path; of what is not there, the real path of its nearest folder and the names below it. */
export async function toRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    const isNone = code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
    if (!isNone || dirname(path) === path) throw thrown;
    return join(await toRealPath(dirname(path)), basename(path));
  }
}

/** Whether `path` is `folder` or in it; both are real paths. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

/** Real paths of the folders that exist among `uris`. */
export async function realFolders(uris: readonly string[]): Promise<string[]> {
  const paths = uris.map((it) => pathOf(it)).filter((it) => it !== undefined);
  const real = await Promise.all(
    paths.map(async (it) => {
      const found = await realpath(it).catch(() => undefined); // a folder that went away is none
      return found !== undefined && (await stat(found)).isDirectory() ? found : undefined;
    }),
  );
  return real.filter((it) => it !== undefined);
}
