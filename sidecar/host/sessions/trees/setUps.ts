import { SET_UP, type SetUp, setUpOf } from '../../../protocol/channels/session/setUp.ts';
import { treeOf } from '../../changes/git/worktrees.ts';
import { commitMeta } from '../../context/chatAccess.ts';
import type { EffectDeps, StartingTurn } from '../../context/effectDeps.ts';
import { RunningCommands } from './runningCommands.ts';
import { runInTree } from './treeCommand.ts';

export type SetUpsDeps = Pick<EffectDeps, 'store' | 'storage' | 'commands' | 'newId' | 'report'>;

interface Running {
  readonly ended: Promise<void>;
  readonly stop: AbortController;
}

/** The commands with which a person has new worktrees set up. The first turn of a session waits for its command. */
export class SetUps {
  readonly #deps: SetUpsDeps;
  readonly #stored: RunningCommands;
  readonly #running = new Map<string, Running>();
  /** Sessions whose turns have said how the command ended. */
  readonly #told = new Set<string>();

  /** @param key of {@link RunningCommands} */
  constructor(deps: SetUpsDeps, key: string) {
    this.#deps = deps;
    this.#stored = new RunningCommands(deps, key);
    for (const session of this.#stored.takeInterrupted()) {
      const setUp = setUpOf(deps.store.state('session', session)?._meta);
      if (setUp?.state === 'running') this.#set(session, { command: setUp.command, state: 'interrupted' });
    }
  }

  /** @param env of the window that made the session */
  begin(session: string, command: string, env: Readonly<Record<string, string>>): void {
    const state = this.#deps.store.state('session', session);
    const tree = treeOf(state?._meta?.['git'])?.path;
    if (!state || tree === undefined) return;
    this.#stored.add(session);
    this.#set(session, { command, state: 'running' });
    const stop = new AbortController();
    const run = async () => {
      const asked = { session, state, tree, command, env, isSetUp: true, signal: stop.signal } as const;
      const result = await runInTree(this.#deps, asked);
      this.#running.delete(session);
      this.#stored.delete(session);
      this.#set(session, { command, ...result });
    };
    const ended = run().catch((thrown: unknown) => this.#deps.report(this.#deps.newId(), thrown));
    this.#running.set(session, { ended, stop });
  }

  /**
   * Settles when the turn may start.
   * @returns what its chat says about a command that did not succeed, once for each session
   * @throws the reason of the turn's signal
   */
  async over({ session, shows, signal }: StartingTurn): Promise<string | undefined> {
    const running = this.#running.get(session);
    if (running) {
      const ended = new AbortController();
      shows('Setting up the worktree.', ended.signal);
      const stopped = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([running.ended, stopped]);
      ended.abort();
      signal.throwIfAborted();
    }
    if (this.#told.has(session)) return undefined;
    this.#told.add(session);
    return noticeOf(setUpOf(this.#deps.store.state('session', session)?._meta));
  }

  /** Ends the command of a session. */
  async stop(session: string): Promise<void> {
    const running = this.#running.get(session);
    running?.stop.abort();
    await running?.ended;
  }

  #set(session: string, setUp: SetUp): void {
    if (this.#deps.store.has(session)) commitMeta(this.#deps.store, session, SET_UP, setUp);
  }
}

function noticeOf(setUp: SetUp | undefined): string | undefined {
  if (setUp?.state === 'failed')
    return setUp.exitCode === undefined
      ? 'The set-up command of this worktree could not start, so programs may not run here. The Worktrees view shows why.'
      : `The set-up command of this worktree failed with exit code ${setUp.exitCode}, so programs may not run here. The Worktrees view shows what it printed.`;
  if (setUp?.state === 'interrupted')
    return 'The set-up command of this worktree was interrupted, so programs may not run here.';
  return undefined;
}
