import type { Children } from '../children/children.ts';
import { Fault } from '../faults.ts';
import type { Confined, Sandboxes } from './sandboxes.ts';

/** Starts each program in the sandbox of its session. */
export function confinedChildren(
  children: Pick<Children, 'spawn' | 'openPty'>,
  sandboxes: Pick<Sandboxes, 'confine'>,
): Pick<Children, 'spawn' | 'openPty'> {
  async function inside<T extends { readonly exited: Promise<unknown> }>(
    { over, ...program }: Confined,
    start: (program: Omit<Confined, 'over'>) => Promise<T>,
  ): Promise<T> {
    try {
      const child = await start(program);
      void child.exited.then(over);
      return child;
    } catch (thrown) {
      over();
      throw thrown;
    }
  }
  return {
    async spawn(request) {
      const { confined: needs } = request;
      return inside(await sandboxes.confine(sessionOf(request), { ...request, needs }), (it) =>
        children.spawn({ ...request, ...it }),
      );
    },
    async openPty(request) {
      return inside(await sandboxes.confine(sessionOf(request), request), (it) =>
        children.openPty({ ...request, ...it }),
      );
    },
  };
}

/** @throws {Fault} `unavailable` if the program belongs to no session */
function sessionOf({ session }: { readonly session?: string }): string {
  if (session === undefined) throw new Fault('unavailable', 'The sandbox could not start.');
  return session;
}
