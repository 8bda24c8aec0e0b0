import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SidecarPlace } from '../sidecar.ts';

export interface Served {
  readonly url: string;
  readonly token: string;
  readonly headers: { readonly Authorization: string };
  readonly stderr: () => string;
  /** Asks it to end. @returns its exit code */
  stop(): Promise<number | null>;
}

/** `switchboard serve` on a free port, with a token file that it makes itself. */
export async function serve(
  place: SidecarPlace,
  root: string,
  limits: object = {},
  more: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const folder = mkdtempSync(join(root, 'serve-'));
  const tokenFile = join(folder, 'token');
  const limitsFile = join(folder, 'limits.json');
  writeFileSync(limitsFile, JSON.stringify(limits));
  const child = place.spawn(
    ['serve', '--port', '0', '--token-file', tokenFile, '--limits-file', limitsFile, ...more],
    env,
  );
  let stderr = '';
  child.stderr.on('data', (it) => (stderr += it));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (it) => {
      said += it;
      const found = /ws:\/\/\S+(?=\n)/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`serve ended: ${stderr}`)));
  });
  const token = readFileSync(tokenFile, 'utf8').trim();
  return {
    url,
    token,
    headers: { Authorization: `Bearer ${token}` },
    stderr: () => stderr,
    stop() {
      const ended = new Promise<number | null>((resolve) => void child.once('close', (code) => resolve(code)));
      child.kill('SIGTERM');
      return ended;
    },
  };
}
