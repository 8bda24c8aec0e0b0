import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Runs npm under this Node, so that it judges `engines` by the Node that will run what it installs. Throws with npm's last lines. */
export async function npm(args: readonly string[], cwd: string): Promise<void> {
  const cli = npmCli();
  const child = spawn(process.execPath, [cli, ...args, '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0)
    throw new Error(`npm ${args.join(' ')} ended with ${code}:\n${output.split('\n').slice(-15).join('\n')}`);
}

/** npm hands its own settings to the scripts it runs; an npm inside must not take the project's for its own. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = /^npm_config_(registry|cache|userconfig|globalconfig|proxy|https_proxy|noproxy|cafile)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name)));
}

function npmCli(): string {
  const own = process.env['npm_execpath'];
  if (own && existsSync(own) && own.endsWith('.js')) return own;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const link = join(folder, 'npm');
    if (existsSync(link) && realpathSync(link).endsWith('.js')) return realpathSync(link);
    const beside = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
    if (existsSync(beside)) return beside;
    const above = join(dirname(folder), 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
    if (existsSync(above)) return above;
  }
  throw new Error('npm is not on PATH');
}
