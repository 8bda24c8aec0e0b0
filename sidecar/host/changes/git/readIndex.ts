import { zFields } from './git.ts';

export interface IndexEntry {
  readonly name: string;
  readonly mode: string;
  readonly object: string;
}

interface SomeRepository {
  run(args: readonly string[]): Promise<Buffer>;
}

/** What the index of a repository has. @param options of git itself */
export async function readIndex(
  repository: SomeRepository,
  pathspecs: readonly string[],
  options: readonly string[] = [],
): Promise<IndexEntry[]> {
  return toEntries(await repository.run([...options, ...listing, ...pathspecs]));
}

/** Repositories within the repository that its index has, by name. */
export async function readSubmodules(
  repository: SomeRepository,
  pathspecs: readonly string[],
): Promise<ReadonlyMap<string, IndexEntry>> {
  const listed = await repository.run([...listing, ...pathspecs]);
  // Most repositories have none, and entries of a large index take time to read.
  const entries = listed.includes(`${SUBMODULE} `) ? toEntries(listed).filter(isSubmodule) : [];
  return new Map(entries.map((it) => [it.name, it]));
}

export const isSubmodule = ({ mode }: IndexEntry): boolean => mode === SUBMODULE;

const SUBMODULE = '160000';
const listing = ['ls-files', '-z', '--stage', '--'];

function toEntries(listed: Buffer): IndexEntry[] {
  return zFields(listed).map((line) => {
    const [mode = '', object = ''] = line.split(' ', 2);
    return { name: line.slice(line.indexOf('\t') + 1), mode, object };
  });
}
