import type { Log } from '../platform/logger.ts';
import type { Backends } from './backends/backends.ts';
import type { Directory } from './callers/directory.ts';
import { followChanges } from './following.ts';
import type { McpFront } from './mcp/front.ts';
import type { GatewayStore } from './storage/store.ts';

const SWEEP_MS = 60_000;

export interface UpkeepParts {
  readonly store: GatewayStore;
  readonly directory: Directory;
  readonly backends: Backends;
  readonly mcp: McpFront;
  readonly log: Log;
}

/**
 * What goes on beside the calls: learning of changes, letting go of what a changed registration had open, ending what nobody
 * uses.
 *
 * @returns ends it
 */
export async function keepUp({ store, directory, backends, mcp, log }: UpkeepParts): Promise<() => Promise<void>> {
  const failed = (what: string) => (thrown: unknown) => log.warn({ thrown }, what);
  const readRegistered = async () => {
    const { servers, agents } = await directory.registered();
    backends.setRegistered(servers, agents);
  };
  directory.listen((kind, id) => {
    if (kind === 'mcp_server') {
      mcp.serverChanged(id).catch(failed('A changed server could not be let go.'));
      backends.forget(id).catch(failed('A changed server could not be let go.'));
    }
    if (kind === 'agent') backends.forget(id).catch(failed('A changed agent could not be let go.'));
    if (kind === 'mcp_server' || kind === 'agent')
      readRegistered().catch(failed('What is registered could not be read.'));
    if (kind !== 'mcp_server' && kind !== 'budget') mcp.listsChanged();
  });
  await readRegistered();
  const stopFollowing = await followChanges(store, log);
  const sweep = setInterval(() => void mcp.sweep().catch(failed('Idle sessions could not be ended.')), SWEEP_MS);
  sweep.unref();
  return async () => {
    clearInterval(sweep);
    await stopFollowing();
  };
}
