import { join } from 'node:path';
import { changesOf } from '../../../lines/hunks.ts';
import { LineTrace } from '../../../lines/lineTrace.ts';
import { Fault } from '../../../platform/faults.ts';
import type { LineAuthor } from '../../../protocol/channels/changeset/lineAuthors.ts';
import type { Params, Result } from '../../../protocol/methods.ts';
import { type Git, zFields } from '../../changes/git/git.ts';
import { type GitRepository, openRepository } from '../../changes/git/gitRepository.ts';
import type { EffectDeps, Requester } from '../../context/effectDeps.ts';
import { realFolders, toFileUri } from '../../context/paths.ts';
import { trustedWindow } from '../../context/trustedWindow.ts';
import { type AuthorsDeps, toLines, traceAuthors } from './lineAuthors.ts';

interface NoteDeps extends AuthorsDeps, Pick<EffectDeps, 'newId' | 'report'> {
  readonly git: Git;
}

/**
 * Writes into the note of a commit which of its lines agents wrote. Only in a folder of a trusted window.
 * @throws {Fault} `not_trusted`, `forbidden`, `invalid_params`, `unavailable`
 */
export async function noteAuthors(
  deps: NoteDeps,
  { folder, commit }: Params<'x-switchboard/noteAuthors'>,
  requester: Requester,
): Promise<Result<'x-switchboard/noteAuthors'>> {
  if (!trustedWindow(requester).folders.includes(folder))
    throw new Fault('forbidden', "folder: not one of this window's folders", { data: {} });
  const [path] = await realFolders([folder]);
  const repository = path === undefined ? undefined : await openRepository(deps.git, path);
  if (!repository) throw new Fault('invalid_params', 'folder: not in a Git repository');
  const id = (await asked(repository, ['rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`]))?.trim();
  if (id === undefined || id === '') throw new Fault('invalid_params', 'commit: not found in the repository');
  const parts: string[] = [];
  let lines = 0;
  for (const name of await changedIn(repository, id)) {
    const part = await partOf(deps, repository, id, name);
    if (!part) continue;
    parts.push(part.text);
    lines += part.lines;
  }
  if (lines === 0) throw new Fault('unavailable', 'No line in this commit was written by an agent in these sessions.');
  const note = `Lines written by agents, as Switchboard recorded them.\n\n${parts.join('\n')}`;
  try {
    await repository.run(['notes', '--ref=switchboard', 'add', '--force', '--file=-', id], { input: note });
  } catch (thrown) {
    deps.report(deps.newId(), thrown);
    throw new Fault('unavailable', 'Git could not write the note. See the log for its message.', { cause: thrown });
  }
  return { commit: id, lines, note };
}

/** Text that git does not have is `undefined`. */
async function asked(repository: GitRepository, args: readonly string[]): Promise<string | undefined> {
  return repository.run(args).then(
    (it) => it.toString('utf8'),
    () => undefined, // git says so with its exit code
  );
}

/** Names of the files that the commit added or changed, below the top of the repository. */
async function changedIn(repository: GitRepository, commit: string): Promise<string[]> {
  const plain = ['--no-commit-id', '--name-only', '--no-renames', '--diff-filter=AM', '-r', '-z', '--root'];
  return zFields(await repository.run(['diff-tree', ...plain, commit]));
}

async function partOf(deps: NoteDeps, repository: GitRepository, commit: string, name: string) {
  const now = await asked(repository, ['cat-file', 'blob', `${commit}:${name}`]);
  if (now === undefined || now.includes('\0')) return undefined;
  const before = (await asked(repository, ['cat-file', 'blob', `${commit}^:${name}`])) ?? '';
  const text = toLines(now);
  const added = changesOf(toLines(before), text).flatMap((it) => it.added.map((_, at) => it.afterStart + at));
  const uri = toFileUri(join(repository.top, name));
  const found = await traceAuthors(deps, uri, new LineTrace<LineAuthor>(text, added));
  if (found.size === 0) return undefined;
  const byAuthor = new Map<string, number[]>();
  for (const [line, author] of found) {
    const words = wordsOf(author);
    byAuthor.set(words, [...(byAuthor.get(words) ?? []), line + 1]);
  }
  const rows = [...byAuthor].map(([words, own]) => `  ${rangesOf(own)} ${words}\n`);
  return { lines: found.size, text: `${name}\n${rows.join('')}` };
}

function wordsOf({ provider, model, title, at, prompt, tool }: LineAuthor): string {
  const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  const parts = [
    `agent=${provider}`,
    ...(model === undefined ? [] : [`model=${model}`]),
    `at=${at}`,
    `session=${JSON.stringify(oneLine(title))}`,
    `prompt=${JSON.stringify(oneLine(prompt).slice(0, 100))}`,
    ...(tool ? [`tool=${JSON.stringify(tool.name)}`, `approval=${tool.confirmed ?? 'unknown'}`] : []),
  ];
  return parts.join(' ');
}

/** `1-3,7` */
function rangesOf(lines: readonly number[]): string {
  const parts: string[] = [];
  const sorted = lines.toSorted((a, b) => a - b);
  for (let at = 0; at < sorted.length; ) {
    let end = at;
    while (sorted[end + 1] === sorted[end]! + 1) end += 1;
    parts.push(at === end ? `${sorted[at]}` : `${sorted[at]}-${sorted[end]}`);
    at = end + 1;
  }
  return parts.join(',');
}
