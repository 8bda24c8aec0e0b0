import { randomBytes, randomUUID } from 'node:crypto';
import { Backends, type BackendsDeps } from '../../../sidecar/gateway/backends/backends.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import { MemoryClients, MemoryStates, MemoryTokens } from './memoryStores.ts';
import { SetClock } from './setClock.ts';

export interface BackendsUnderTest {
  readonly backends: Backends;
  readonly clock: SetClock;
  readonly tokens: MemoryTokens;
  readonly clients: MemoryClients;
}

/** The room as the gateway builds it, with stores in memory and a clock that stands still. */
export function openBackends(more: Partial<BackendsDeps> = {}): BackendsUnderTest {
  const [clock, tokens, clients] = [new SetClock(), new MemoryTokens(), new MemoryClients()];
  const backends = new Backends({
    clock,
    timers: systemTimers,
    newId: randomUUID,
    random: randomBytes,
    secret: randomBytes(32),
    tokens,
    clients,
    states: new MemoryStates(),
    providerKey: async () => undefined,
    ...more,
  });
  return { backends, clock, tokens, clients };
}
