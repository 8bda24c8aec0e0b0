import { join } from 'node:path';
import { findCommand } from '../../../sidecar/platform/children/findCommand.ts';
import { cached } from '../cache.ts';
import { unpackDebian } from '../changes/git.ts';
import { say } from '../say.ts';

/**
 * Where ripgrep is: on PATH, else Debian's package in the cache.
 *
 * @throws {Error} with apt's own words, where there is no apt either or it reaches no mirror
 */
export async function ripgrepProgram(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const found = findCommand('rg', env);
  if (found !== undefined) return found;
  const folder = await cached('ripgrep', async (partial) => {
    say("ripgrep: unpacking Debian's package, because there is none here (4 MB, once)");
    await unpackDebian('ripgrep', partial, env);
  });
  return join(folder, 'usr', 'bin', 'rg');
}
