import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { globSource } from './ignored.ts';
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
      'Searches the text of files with a JavaScript regular expression, line by line, without files that Git ignores. Without a pattern, it lists the files that fit the glob.',
    isReading: true,
    input: z.object({
      pattern: z.string().exactOptional().describe('Regular expression'),
      path: z.string().exactOptional().describe('Folder to search. Default: the working folder'),
      glob: z.string().exactOptional().describe('Only files whose path fits, such as **/*.ts'),
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
      const paths = await filesIn(target, glob, signal);
      if (pattern === undefined) {
        const rest = paths.length > MOST_MATCHES ? `\n(${paths.length - MOST_MATCHES} more files)` : '';
        return { text: paths.length === 0 ? 'No files.' : paths.slice(0, MOST_MATCHES).join('\n') + rest, past };
      }
      const work = { root: target, paths, pattern, flags: ignoreCase ? 'i' : '', most: MOST_MATCHES };
      const matches = await searchFiles(work, timers, signal);
      if (matches === 'late')
        throw new Fault(
          'unavailable',
          'The search took longer than 20 seconds. Use a simpler pattern or a smaller folder.',
        );
      const rest = matches.length === MOST_MATCHES ? `\n(only the first ${MOST_MATCHES} matches)` : '';
      const text = matches.map((it) => `${it.path}:${it.line}: ${it.text}`).join('\n') + rest;
      return { text: matches.length === 0 ? 'No matches.' : text, past };
    },
  });

function requirePattern(pattern: string): void {
  try {
    new RegExp(pattern);
  } catch (thrown) {
    throw new Fault('invalid_params', `The pattern is not a regular expression: ${(thrown as Error).message}`);
  }
}

async function filesIn(root: string, glob: string | undefined, signal: AbortSignal): Promise<readonly string[]> {
  const wanted = glob === undefined ? undefined : new RegExp(`^(?:.*/)?${globSource(glob)}$`);
  const paths: string[] = [];
  try {
    for await (const it of walk(root, signal)) {
      if (!it.isFolder && wanted?.test(it.path) !== false) paths.push(it.path);
      if (paths.length === MOST_FILES) break;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new Fault('not_found', 'The folder cannot be searched. Check that it is a folder.', { cause });
  }
  return paths;
}
