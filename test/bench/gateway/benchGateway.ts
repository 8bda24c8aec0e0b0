import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { builtSidecar } from '../../support/sidecar.ts';

/** The built gateway as a process of its own, on data of its own. */
export interface BenchGateway {
  readonly pid: number;
  readonly url: string;
  /** Where its database is. */
  readonly dataDir: string;
  /** A request of the administrator. @returns the body; throws for a status of 400 or more */
  ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
  /** Ends the process; its data stays. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export const ADMIN_KEY = 'sk-administrator-of-the-bench';
export const withKey = (key: string) => ({ 'x-gateway-api-key': `Bearer ${key}` });

/**
 * @param config of `switchboard.jsonc`
 * @param dataDir of one that was stopped; it goes on with that data
 */
export async function startGateway(config: object, dataDir?: string): Promise<BenchGateway> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-bench-gateway-'));
  const file = join(folder, 'switchboard.jsonc');
  writeFileSync(file, JSON.stringify(config));
  const args = [builtSidecar, 'gateway', '--config', file, '--data-dir', folder];
  const env = { ...process.env, SWITCHBOARD_ADMIN_KEY: ADMIN_KEY };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await addressOf(child);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  };
  return {
    pid: child.pid ?? 0,
    url,
    dataDir: folder,
    async ask<T>(method: 'GET' | 'POST', path: string, body?: object) {
      const headers = { ...withKey(ADMIN_KEY), 'content-type': 'application/json' };
      const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await response.text();
      if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    },
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the gateway has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Switchboard gateway: (\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the gateway ended with ${child.exitCode} and no address`);
}
