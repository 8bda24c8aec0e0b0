import { type Children, openChildren } from '../../platform/children/children.ts';
import { endingChildren } from '../../platform/children/endingChildren.ts';
import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { SandboxesDeps } from '../../platform/sandbox/sandboxes.ts';
import { isSandboxed } from '../../protocol/channels/session/sandboxChoice.ts';
import type { Store } from '../state/store.ts';
import type { SessionSandboxes } from './effectDeps.ts';
import type { openSandboxes } from './openSandboxes.ts';

/** Parts of the host that are created after the programs. */
export interface LateParts {
  readonly store: () => Store;
  readonly connections: () => { readonly decide: SandboxesDeps['connects'] };
}

export interface ProgramsDeps extends Pick<Runtime, 'clock' | 'timers'> {
  readonly dataDir: string;
}

/**
 * Starts the programs of a host. This is the only way to start a program, so every program of a session with a sandbox starts
 * in the sandbox. The set-up command of a worktree starts as a program of no session.
 * @param registry as for {@link openChildren}
 */
export function openPrograms(
  registry: string,
  deps: ProgramsDeps,
  late: LateParts,
): { readonly children: Children; readonly sandboxes: SessionSandboxes } {
  const outside = endingChildren(openChildren(registry, deps.clock.now));
  const isOn = (session: string | undefined) =>
    session !== undefined && isSandboxed(late.store().state('session', session)?.config?.values);
  let loaded: Promise<ReturnType<typeof openSandboxes>> | undefined;
  const load = () => {
    loaded ??= import('./openSandboxes.ts').then((it) => it.openSandboxes(outside, deps, late));
    return loaded;
  };
  const starter = async (session: string | undefined) => {
    // Its sandbox is unknown once the session was removed.
    if (session !== undefined && !late.store().has(session))
      throw new Fault('session_not_found', 'the session no longer exists');
    return isOn(session) ? (await load()).inside : outside;
  };
  return {
    children: {
      ...outside,
      spawn: async (request) => (await starter(request.session)).spawn(request),
      openPty: async (request) => (await starter(request.session)).openPty(request),
    },
    sandboxes: {
      isOn,
      async start(session, env) {
        if (isOn(session)) await (await load()).sandboxes.start(session, env);
      },
      close: async (session) => (await loaded)?.sandboxes.close(session),
    },
  };
}
