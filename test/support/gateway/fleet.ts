import { randomBytes } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey } from '../../../sidecar/gateway/auth/keys.ts';
import type { GatewayConfigInput } from '../../../sidecar/protocol/gateway/config.ts';
import { type Replica, type ReplicaFiles, startReplica } from './replica.ts';

/** The files of a team, and every replica that was started with them. */
export interface Fleet {
  readonly files: ReplicaFiles;
  readonly adminKey: string;
  start(name: string): Replica;
  configure(config: GatewayConfigInput): void;
  /** A management call of the administrator. @returns the body; throws for a status of 400 or more */
  manage(base: string, method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Kills what still runs, and removes the files. */
  close(): Promise<void>;
}

/** @param databaseUrl a connection string */
export function openFleet(databaseUrl: string, config: GatewayConfigInput): Fleet {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-fleet-')));
  const adminKey = newKey(randomBytes);
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const configure = (wanted: GatewayConfigInput) => write('switchboard.jsonc', JSON.stringify(wanted, undefined, 2));
  const files = {
    folder,
    config: configure(config),
    database: write('database', `${databaseUrl}\n`),
    secret: write('secret', `${randomBytes(32).toString('base64')}\n`),
    adminKey: write('admin', `${adminKey}\n`),
  };
  const replicas: Replica[] = [];
  return {
    files,
    adminKey,
    configure: (it) => void configure(it),
    start(name) {
      const replica = startReplica(name, files);
      replicas.push(replica);
      return replica;
    },
    async manage(base, method, path, body) {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    },
    async close() {
      for (const it of replicas) it.signal('SIGKILL');
      await Promise.all(replicas.map((it) => it.exited));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
