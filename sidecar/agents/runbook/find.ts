import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRunbook } from './parse.ts';
import { tour } from './tour.ts';

/** A runbook that can be started by its name. */
export interface FoundRunbook {
  /** What stands behind the `/`: the file's name without `.md`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Where it comes from, for a person. */
  readonly origin: 'workspace' | 'user' | 'built-in';
  readonly source: string;
}

const maxRunbookBytes = 1024 * 1024;
const nameOfFile = /^([A-Za-z0-9][A-Za-z0-9_.-]*)\.md$/;

/**
 * All runbooks by name, in order. A session's folders come first, then the user's folder, then the built-in ones; of
 * two with one name the first counts. A file that is no sound runbook is listed too: starting it says what is wrong.
 */
export async function findRunbooks(
  folders: readonly string[],
  userFolder: string | undefined,
): Promise<readonly FoundRunbook[]> {
  const found = new Map<string, FoundRunbook>();
  const add = (name: string, source: string, origin: FoundRunbook['origin']) => {
    if (found.has(name)) return;
    const parsed = parseRunbook(source, name);
    const { title, description } = parsed.ok
      ? parsed.runbook
      : { title: name, description: `cannot be run: error on line ${parsed.problems[0]?.line ?? 1}` };
    found.set(name, { name, title, description, origin, source });
  };
  for (const folder of folders)
    await readFolder(join(folder, '.switchboard', 'runbooks'), (...it) => add(...it, 'workspace'));
  if (userFolder !== undefined) await readFolder(userFolder, (...it) => add(...it, 'user'));
  add('tour', tour, 'built-in');
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

async function readFolder(folder: string, add: (name: string, source: string) => void): Promise<void> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    return; // most folders have no runbooks
  }
  for (const file of names.toSorted()) {
    const name = nameOfFile.exec(file)?.[1];
    if (name === undefined) continue;
    const source = await readSource(join(folder, file));
    if (source !== undefined) add(name, source);
  }
}

async function readSource(path: string): Promise<string | undefined> {
  try {
    const facts = await stat(path);
    return facts.isFile() && facts.size <= maxRunbookBytes ? await readFile(path, 'utf8') : undefined;
  } catch {
    return undefined; // gone meanwhile, a link that leads nowhere, or not for us: the others still count
  }
}
