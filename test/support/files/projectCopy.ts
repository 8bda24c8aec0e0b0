import { cpSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { projectRoot } from '../cache.ts';

/** What is made anew, or belongs to the checkout alone. */
const leftOut: ReadonlySet<string> = new Set(['node_modules', 'dist', '.git', '.vscode-test', 'coverage']);

/** The sources in a new folder, where they can be changed and built while other tests run what the checkout has built. */
export function copyProject(prefix: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  const filter = (from: string) => !leftOut.has(relative(projectRoot, from).split(sep)[0] ?? '');
  cpSync(projectRoot, folder, { recursive: true, filter });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}
