import { spawnSync } from 'node:child_process';
import { projectRoot } from './support/cache.ts';
import { say } from './support/say.ts';

/** `npm run check`: types, format, lint, unused code, architecture. All of them run; one line each; exit code 1 where one fails. */
const checks: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[] = [
  ...['protocol', 'sidecar', 'src', 'media', 'test'].map((it) => ({
    name: `types of ${it}`,
    command: 'tsc',
    args: ['-p', `tsconfig.${it}.json`],
  })),
  {
    name: 'format and lint (biome)',
    command: 'biome',
    args: ['ci', '--error-on-warnings', '--max-diagnostics=50', '.'],
  },
  {
    name: 'lint with types (oxlint)',
    command: 'oxlint',
    args: [
      '--type-aware',
      'src',
      'sidecar',
      'media',
      'test',
      'start.ts',
      'vsix.ts',
      'rooms.ts',
      'run.mjs',
      'esbuild.mjs',
    ],
  },
  { name: 'unused code (knip)', command: 'knip', args: ['--no-progress'] },
  { name: 'code that tests alone use (knip)', command: 'knip', args: ['--production', '--no-progress'] },
  { name: 'architecture', command: 'node', args: ['run.mjs', 'test/run.ts', 'architecture'] },
];

const failed: string[] = [];
for (const { name, command, args } of checks) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`check: ${name}: ${status === 0 ? 'ok' : 'failed'} in ${seconds} s`);
  if (status === 0) continue;
  failed.push(name);
  say(`${stdout ?? ''}${stderr ?? ''}`.trimEnd());
}
say(failed.length === 0 ? 'check: all ok' : `check: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
