import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayStore, openStore } from '../../../sidecar/gateway/storage/store.ts';
import type { Clock } from '../../../sidecar/platform/clock.ts';
import { postgresDatabase } from '../network/postgres.ts';

/** Databases of one kind for a suite. Stores of one suite that are opened with the same place share it. */
export interface StorePlace {
  open(clock: Clock, holder?: string): Promise<GatewayStore>;
  remove(): void;
}

export async function sqlitePlace(): Promise<StorePlace> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-store-'));
  const secret = randomBytes(32);
  const address = { kind: 'sqlite', file: join(folder, 'gateway.db') } as const;
  return {
    open: (clock, holder = 'a') => openStore({ address, clock, secret, holder }),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

export async function postgresPlace(): Promise<StorePlace> {
  const address = { kind: 'postgres', url: await postgresDatabase() } as const;
  const secret = randomBytes(32);
  return { open: (clock, holder = 'a') => openStore({ address, clock, secret, holder }), remove: () => undefined };
}
