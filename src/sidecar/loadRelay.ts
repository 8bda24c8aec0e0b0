import { createRequire } from 'node:module';
import type { RelayModule } from './relay.ts';

/**
 * Loads the second bundle. It costs 60 ms, so it is read when the host is needed and not when the extension starts
 * (traps.md 24). @param bundle the absolute path of `dist/languageclient.cjs`
 */
export function loadRelayModule(bundle: string): RelayModule {
  const loaded: unknown = createRequire(bundle)(bundle);
  if (typeof loaded === 'object' && loaded !== null && 'openRelay' in loaded) return loaded as RelayModule;
  throw new Error('The installation of Switchboard is damaged: its connection part is not readable. Install it again.');
}
