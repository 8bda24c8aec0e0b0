import { join } from 'node:path';
import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { globSource, patternOf } from './ignored.ts';
import { absolute, shown } from './paths.ts';
import { deniedNote, isInside, readable } from './readable.ts';
import { Ripgrep, type RipgrepDeps } from './ripgrep.ts';
import { searchFiles } from './searchThread.ts';
import { type CoderTool, tool } from './tool.ts';
import { walk } from './walk.ts';

const MOST_MATCHES = 200;
const MOST_FILES = 50_000;

interface SearchDeps extends RipgrepDeps {
  readonly timers: Pick<Timers, 'after' | 'deadline'>;
}

/** Uses ripgrep if it is installed. The result is the same without it. */
export const searchWith = (deps: SearchDeps): CoderTool =>
  tool({
    name: 'search',
    kind: 'search',
    description:
      'Searches the text of files with a JavaScript regular expression, line by line, except files that Git ignores. Without a pattern, it lists the files that match the glob.',
    isReading: true,
    input: z.object({
      pattern: z.string().exactOptional().describe('Regular expression'),
      path: z.string().exactOptional().describe('Folder to search. Default: the working folder'),
      glob: z.string().exactOptional().describe('Only files whose path matches, such as **/*.ts'),
      ignoreCase: z.boolean().exactOptional(),
    }),
    async run({ pattern, path = '.', glob, ignoreCase = false }, { context, host, confirm, signal }) {
      const target = absolute(context, path);
      const what = pattern ?? glob ?? '*';
      const place = shown(context, target);
      const past = `Searched ${place} for ${what}`;
      if (pattern !== undefined) requirePattern(pattern);
      const allow = (names: readonly string[]) =>
        confirm({
          kind: 'search',
          invocationMessage: `Search ${place} for ${what}`,
          toolInput: JSON.stringify({ pattern, path: target, glob }),
          paths: [target, ...names.map((it) => join(target, it))],
        });
      // Outside the folders, nothing is looked at before it is allowed. Inside, only the files in which something was found
      // show whether a rule asks about them.
      const isAllowed = !(await isInside(target, context.folders));
      if (isAllowed) await allow([]);
      const ripgrep = await Ripgrep.find(deps, context);
      const { paths, isCut } = await filesIn(target, glob, ripgrep, signal);
      const { names, asking, deniedCount } = await readable(host, target, paths);
      const cut = isCut ? `\n(Only the first ${MOST_FILES} files were searched. Search a subfolder.)` : '';
      const note = deniedNote(deniedCount);
      if (pattern === undefined) {
        if (!isAllowed) await allow([]);
        const rest = names.length > MOST_MATCHES ? `\n(${names.length - MOST_MATCHES} more files)` : '';
        const text = names.length === 0 ? 'No files.' : names.slice(0, MOST_MATCHES).join('\n') + rest + cut;
        return { text: text + note, past };
      }
      const candidates = await ripgrep?.candidates(target, pattern, ignoreCase, signal);
      const searched = candidates ? names.filter((it) => candidates.has(it)) : names;
      const work = { root: target, paths: searched, pattern, flags: ignoreCase ? 'i' : '', most: MOST_MATCHES };
      const found = await searchFiles(work, deps.timers, signal);
      const files = found === 'late' ? [] : [...new Set(found.map((it) => it.path))];
      if (!isAllowed) await allow(files.filter((it) => asking.has(it)));
      if (found === 'late')
        throw new Fault(
          'unavailable',
          'The search took longer than 20 seconds. Use a simpler pattern or a smaller folder.',
        );
      // A rule can have been added while a person was asked.
      const now = new Set((await readable(host, target, files)).names);
      const matches = found.filter((it) => now.has(it.path));
      const rest = found.length === MOST_MATCHES ? `\n(only the first ${MOST_MATCHES} matches)` : cut;
      const text = matches.map((it) => `${it.path}:${it.line}: ${it.text}`).join('\n');
      return { text: (matches.length === 0 ? 'No matches.' : text) + rest + note, past };
    },
  });

function requirePattern(pattern: string): void {
  try {
    new RegExp(pattern);
  } catch (thrown) {
    throw new Fault(
      'invalid_params',
      `The pattern is not a valid regular expression: ${(thrown as SyntaxError).message}`,
    );
  }
}

async function filesIn(
  root: string,
  glob: string | undefined,
  ripgrep: Ripgrep | undefined,
  signal: AbortSignal,
): Promise<{ readonly paths: readonly string[]; readonly isCut: boolean }> {
  const wanted = glob === undefined ? /^/ : patternOf(`^(?:.*/)?${globSource(glob)}$`);
  if (!wanted) throw new Fault('invalid_params', `The glob "${glob}" is not valid. Check the characters in brackets.`);
  const listed = await ripgrep?.files(root, signal);
  if (listed) {
    const paths = listed.filter((it) => wanted.test(it));
    return { paths: paths.slice(0, MOST_FILES), isCut: paths.length > MOST_FILES };
  }
  const paths: string[] = [];
  try {
    for await (const it of walk(root, signal)) {
      if (it.isFolder || !wanted.test(it.path)) continue;
      if (paths.length === MOST_FILES) return { paths, isCut: true };
      paths.push(it.path);
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new Fault('not_found', 'The folder cannot be searched. Check that it is a folder that can be read.', {
      cause,
    });
  }
  return { paths, isCut: false };
}
