import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from '../cache.ts';

/** Bundles a program with `plugins` and runs it in a separate process. @returns what it prints, which is JSON */
export async function printed(folder: string, name: string, program: string, plugins: Plugin[]): Promise<unknown> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents: program, resolveDir: projectRoot, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    plugins,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8', maxBuffer: 1 << 28 }));
}
