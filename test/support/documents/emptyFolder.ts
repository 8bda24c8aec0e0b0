import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { endProcess } from '../editor/processes.ts';
import { builtSidecar } from '../sidecar.ts';

const curlStandIn = join(import.meta.dirname, 'curl.mjs');

/** Whether the machine has a curl that knows `--json` (7.82). */
function hasCurl(): boolean {
  const [, major = '0', minor = '0'] =
    /^curl (\d+)\.(\d+)/.exec(spawnSync('curl', ['--version']).stdout?.toString()) ?? [];
  return Number(major) * 100 + Number(minor) >= 782;
}

export interface EmptyFolder {
  readonly folder: string;
  /** Where npm installs commands for all; on the path. */
  readonly prefix: string;
  /** @returns what it printed; throws where it fails */
  run(command: string): Promise<string>;
  close(): void;
}

/**
 * An empty folder and a shell with the commands that a document needs: `switchboard` as it is built, `npx` with the
 * server that is already installed, and `curl`, for machines that have none, with the few flags that the documents use.
 *
 * @param isInstalled `false`: without `switchboard`, which a command installs
 */
export function openEmptyFolder(everything: string, { isInstalled = true } = {}): EmptyFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-first-')));
  const folder = mkdtempSync(join(root, 'empty-'));
  const prefix = join(root, 'prefix');
  const node = process.execPath;
  const program = (name: string, text: string) => writeFileSync(join(root, name), text, { mode: 0o755 });
  if (isInstalled) program('switchboard', `#!/bin/sh\nexec '${node}' '${builtSidecar}' "$@"\n`);
  program('npx', `#!/bin/sh\nexec '${node}' '${everything}' stdio\n`);
  program('node', `#!/bin/sh\nexec '${node}' "$@"\n`);
  if (!hasCurl()) program('curl', `#!/bin/sh\nexec '${node}' '${curlStandIn}' "$@"\n`);
  /** A gateway that a command leaves in the background stays in the group of that command. */
  const groups: number[] = [];
  const env = {
    PATH: [root, join(prefix, 'bin'), process.env['PATH']].join(delimiter),
    HOME: root,
    XDG_RUNTIME_DIR: root,
    npm_config_prefix: prefix,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  return {
    folder,
    prefix,
    run: (command) =>
      new Promise<string>((resolve, reject) => {
        const child = spawn('sh', ['-c', command], {
          cwd: folder,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true,
        });
        if (child.pid !== undefined) groups.push(child.pid);
        let printed = '';
        child.stdout.on('data', (it) => (printed += it));
        child.stderr.on('data', (it) => (printed += it));
        child.once('error', reject);
        child.once('exit', (code) =>
          code === 0
            ? setImmediate(() => resolve(printed))
            : reject(new Error(`${command}\nended with ${code}: ${printed}`)),
        );
      }),
    close() {
      for (const it of groups) endProcess(-it);
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
