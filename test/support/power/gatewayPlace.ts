import { join } from 'node:path';
import { openStore } from '../../../sidecar/gateway/storage/store.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';

export const TEAM = 'counted';
export const ownedId = (step: number, n: number) => `c${step}-${n}`;

/** The gateway's own store, as a gateway of one user opens it. */
export const openGatewayPlace = (dataDir: string) =>
  openStore({
    address: { kind: 'sqlite', file: join(dataDir, 'gateway.db') },
    clock: systemClock,
    secret: Buffer.alloc(32, 7),
    holder: 'a',
  });
