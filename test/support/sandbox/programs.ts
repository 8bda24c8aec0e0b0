import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cached } from '../cache.ts';
import { unpackDebian } from '../changes/git.ts';
import { say } from '../say.ts';

/** PATH with the programs that a sandbox requires: the installed ones, or Debian's packages in the cache. */
export async function pathWithSandbox(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const found: string[] = [];
  for (const [program, name] of [
    ['bwrap', 'bubblewrap'],
    ['socat', 'socat'],
  ] as const) {
    if (!spawnSync(program, ['--version'], { env, stdio: 'ignore' }).error) continue;
    try {
      const folder = await cached(name, async (partial) => {
        say(`${name}: unpacking Debian's package, because it is not installed (once)`);
        await unpackDebian(name, partial, env);
      });
      found.push(join(folder, 'usr', 'bin'));
    } catch (thrown) {
      // Without it, no sandbox starts, and the tests verify the refusal.
      say(
        `${name}: it is not installed and cannot be fetched (${thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown)})`,
      );
    }
  }
  return [...found, env['PATH'] ?? ''].join(':');
}
