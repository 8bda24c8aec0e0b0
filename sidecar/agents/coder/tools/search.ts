import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { globSource, patternOf } from './ignored.ts';
import { absolute, shown } from './paths.ts';
import { searchFiles } from './searchThread.ts';
import { type CoderTool, tool } from './tool.ts';
import { walk } from './walk.ts';

const MOST_MATCHES = 200;
const MOST_FILES = 50_000;

export const searchWith = (timers: Pick<Timers, 'after'>): CoderTool =>
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
    async run({ pattern, path = '.', glob, ignoreCase = false }, { context, confirm, signal }) {
      const target = absolute(context, path);
      const what = pattern ?? glob ?? '*';
      const past = `Searched ${shown(context, target)} for ${what}`;
      if (pattern !== undefined) requirePattern(pattern);
      await confirm({
        kind: 'search',
        invocationMessage: `Search ${shown(context, target)} for ${what}`,
        toolInput: JSON.stringify({ pattern, path: target, glob }),
        paths: [target],
      });
      const { paths, isCut } = await filesIn(target, glob, signal);
      const cut = isCut ? `\n(Only the first ${MOST_FILES} files were searched. Search a subfolder.)` : '';
      if (pattern === undefined) {
        const rest = paths.length > MOST_MATCHES ? `\n(${paths.length - MOST_MATCHES} more files)` : '';
        return { text: paths.length === 0 ? 'No files.' : paths.slice(0, MOST_MATCHES).join('\n') + rest + cut, past };
      }
      const work = { root: target, paths, pattern, flags: ignoreCase ? 'i' : '', most: MOST_MATCHES };
      const matches = await searchFiles(work, timers, signal);
      if (matches === 'late')
        throw new Fault(
          'unavailable',
          'The search took longer than 20 seconds. Use a simpler pattern or a smaller folder.',
        );
      const rest = matches.length === MOST_MATCHES ? `\n(only the first ${MOST_MATCHES} matches)` : cut;
      const text = matches.map((it) => `${it.path}:${it.line}: ${it.text}`).join('\n');
      return { text: (matches.length === 0 ? 'No matches.' : text) + rest, past };
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
  signal: AbortSignal,
): Promise<{ readonly paths: readonly string[]; readonly isCut: boolean }> {
  const wanted = glob === undefined ? /^/ : patternOf(`^(?:.*/)?${globSource(glob)}$`);
  if (!wanted) throw new Fault('invalid_params', `The glob "${glob}" is not valid. Check the characters in brackets.`);
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
