import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { agentStates } from '../../agents/acp/confined.ts';
import type { Children } from '../../platform/children/children.ts';
import { confinedChildren } from '../../platform/sandbox/confinedChildren.ts';
import { Sandboxes } from '../../platform/sandbox/sandboxes.ts';
import { workingFolders } from './folders/workingFolders.ts';
import type { LateParts, ProgramsDeps } from './openPrograms.ts';

/**
 * The sandboxes of a host, and how programs start in them. This module is loaded with the first session that has a sandbox.
 * @param outside starts programs outside a sandbox
 */
export function openSandboxes(
  outside: Children,
  { dataDir, timers }: ProgramsDeps,
  { store, connections }: LateParts,
): { readonly inside: Pick<Children, 'spawn' | 'openPty'>; readonly sandboxes: Sandboxes } {
  const folders = (session: string) => store().state('session', session)?.workingDirectories ?? [];
  const sandboxes = new Sandboxes({
    children: outside,
    timers,
    dataDir: realpathSync(dataDir),
    home: homedir(),
    folders: async (session) => (await workingFolders(folders(session), false)).folders,
    agentStates: agentStates.map((name) => join(homedir(), name)),
    connects: (...asked) => connections().decide(...asked),
  });
  return { inside: confinedChildren(outside, sandboxes), sandboxes };
}
