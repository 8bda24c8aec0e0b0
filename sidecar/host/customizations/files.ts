import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { URI } from 'vscode-uri';

/** Where the files of customizations lie: on this disk, or with the client that published them. */
export interface CustomizationFiles {
  /** In order of their names; `undefined` where there is no such folder. Rejects when it cannot be read. */
  list(folder: string): Promise<readonly Entry[] | undefined>;
  /** `undefined` where there is no such file. Rejects when it cannot be read, or is larger than {@link MAX_FILE_BYTES}. */
  read(uri: string): Promise<string | undefined>;
}
export interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Larger files are no instructions for an agent. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** What is below `root` on this disk, links included that stay below it. */
export function diskFiles(root: string): CustomizationFiles {
  return {
    async list(folder) {
      const path = await below(root, folder);
      const entries = path === undefined ? undefined : await unlessMissing(readdir(path));
      if (path === undefined || !entries) return undefined;
      const found = entries.sort().map(async (name): Promise<Entry | undefined> => {
        const facts = await unlessMissing(stat(join(path, name)));
        return facts && { name, isFolder: facts.isDirectory() };
      });
      return (await Promise.all(found)).filter((it) => it !== undefined);
    },
    async read(uri) {
      const path = await below(root, uri);
      const facts = path === undefined ? undefined : await unlessMissing(stat(path));
      if (path === undefined || !facts?.isFile()) return undefined;
      if (facts.size > MAX_FILE_BYTES) throw new Error(`larger than ${MAX_FILE_BYTES} bytes`);
      return readFile(path, 'utf8');
    },
  };
}

/** The real path, when that is `root` (a real path) or below it. */
async function below(root: string, uri: string): Promise<string | undefined> {
  const real = await unlessMissing(realpath(URI.parse(uri).fsPath));
  return real !== undefined && `${real}/`.replaceAll('\\', '/').startsWith(`${root}/`.replaceAll('\\', '/'))
    ? real
    : undefined;
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}

/** The URI of what is called `name` in `folder`. */
export function childUri(folder: string, ...names: readonly string[]): string {
  const base = URI.parse(folder);
  return base.with({ path: [base.path.replace(/\/$/, ''), ...names].join('/') }).toString();
}
