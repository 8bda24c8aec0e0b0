import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Names and what they are: `folder`, `-> target` of a link, else the text of a file. */
export type Planted = Readonly<Record<string, string>>;

/** A fresh folder, by its real path. */
export function makeFolder(prefix: string, base = tmpdir()): string {
  return realpathSync(mkdtempSync(join(base, `${prefix}-`)));
}

/** Makes folders, files and links below `root`. */
export function plant(root: string, what: Planted): void {
  for (const [name, it] of Object.entries(what)) {
    const path = join(root, name);
    mkdirSync(it === 'folder' ? path : dirname(path), { recursive: true });
    if (it.startsWith('-> ')) symlinkSync(it.slice(3), path);
    else if (it !== 'folder') writeFileSync(path, it);
  }
}

/** Everything below `root`, as {@link plant} takes it; folders stand for themselves where they are empty. */
export function picture(root: string, below = ''): Planted {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, below)).toSorted((a, b) => (a < b ? -1 : 1))) {
    const at = join(below, name);
    const stats = lstatSync(join(root, at));
    const inner = stats.isDirectory() ? picture(root, at) : {};
    if (stats.isSymbolicLink()) found[at] = `-> ${readlinkSync(join(root, at))}`;
    else if (stats.isFile()) found[at] = readFileSync(join(root, at), 'utf8');
    else if (!stats.isDirectory()) found[at] = 'other';
    else if (Object.keys(inner).length === 0) found[at] = 'folder';
    Object.assign(found, inner);
  }
  return found;
}

/** The permission bits of a file or folder. */
export const bitsOf = (path: string): number => lstatSync(path).mode & 0o7777;
export const removeAll = (path: string): void => rmSync(path, { recursive: true, force: true });

/** What this process holds open of a folder, where the system tells; nothing is left open after a test. */
export function openBelow(root: string): readonly string[] {
  const names = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : [];
  return names.map(targetOf).filter((it) => it === root || it.startsWith(`${root}/`));
}
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return ''; // the one that listed them
  }
}
