import { Fault } from '../../../platform/faults.ts';
import { RACE, type Race, type RaceCheck, RUNNING_CHECKS, raceOf } from '../../../protocol/channels/session/race.ts';
import type { SessionState } from '../../../protocol/channels/session/schema.ts';
import type { Params, Result } from '../../../protocol/methods.ts';
import { hasFlag, status } from '../../../protocol/status.ts';
import type { WindowInfo } from '../../../protocol/window.ts';
import { openGit } from '../../changes/git/git.ts';
import { dropWorktree } from '../../changes/git/worktrees.ts';
import { changedPaths, contentAt, contentIn, toRaceFile } from '../../changes/worktrees/raceFiles.ts';
import { commitMeta, commitSession } from '../../context/chatAccess.ts';
import type { EffectDeps, Requester } from '../../context/effectDeps.ts';
import { trustedWindow } from '../../context/trustedWindow.ts';
import { RunningCommands } from '../trees/runningCommands.ts';
import { runInTree } from '../trees/treeCommand.ts';
import { type Racer, racersIn, treeOfRacer } from './racers.ts';
import { writeChosen } from './writeChosen.ts';

export type RacesDeps = Pick<EffectDeps, 'store' | 'storage' | 'commands' | 'newId' | 'report' | 'setUps'> & {
  /** Ends the turns of a session and releases its agents. */
  readonly endTurns: (session: string) => Promise<void>;
  /** The window that used a session last. */
  readonly requester: (session: string) => Requester | undefined;
};

/**
 * Several sessions with the same prompt, each in a worktree of its own. A person keeps the best of their changes. A race is
 * stored in the states of its sessions, so it outlives windows and the host.
 */
export class Races {
  readonly #deps: RacesDeps;
  readonly #git = openGit(process.env);
  /** Sessions in which a check runs. */
  readonly #checking: RunningCommands;
  /** Those of them that ended another turn in the meantime. */
  readonly #outdated = new Set<string>();
  /** Races that are being ended. */
  readonly #ending = new Set<string>();

  constructor(deps: RacesDeps) {
    this.#deps = deps;
    this.#checking = new RunningCommands(deps, RUNNING_CHECKS);
  }

  /** Marks the checks that ran when the host ended. */
  endInterrupted(): void {
    for (const session of this.#checking.takeInterrupted()) {
      const check = raceOf(this.#deps.store.state('session', session)?._meta)?.check;
      if (check?.state === 'running') this.#setCheck(session, { command: check.command, state: 'interrupted' });
    }
  }

  /** Runs the check of a session whose turn ended, if a trusted window used it since the host started. */
  async turnEnded(session: string): Promise<void> {
    const { store, requester } = this.#deps;
    await store.settled(); // then the session is not running any more
    const state = store.state('session', session);
    const race = raceOf(state?._meta);
    const window = requester(session)?.window;
    if (!state || !race?.check || window?.trusted !== true || isRunning(state)) return;
    if (this.#checking.has(session)) this.#outdated.add(session);
    else this.#run({ session, state, race, ...treeOfRacer(this.#deps, session) }, window.env);
  }

  /** @throws {Fault} `not_trusted`, `invalid_params`, `unavailable` */
  async start({ race: id, sessions, check }: Params<'x-switchboard/raceStart'>, requester: Requester): Promise<void> {
    trustedWindow(requester);
    const trees = sessions.map((session) => ({ session, ...treeOfRacer(this.#deps, session) }));
    if (new Set(sessions).size < sessions.length || new Set(trees.map((it) => it.top)).size > 1)
      throw new Fault('invalid_params', 'sessions: must be different sessions of one repository');
    if (racersIn(this.#deps).some((it) => it.race.id === id || sessions.includes(it.session)))
      throw new Fault('invalid_params', 'race: it or one of its sessions is already in a race');
    const heads = await Promise.all(trees.map((it) => this.#head(it.tree)));
    const [base] = heads;
    if (base === undefined || heads.some((it) => it !== base))
      throw new Fault('unavailable', 'The sessions did not start from the same commit. Start the race again.');
    const race: Race = { id, base, ...(check !== undefined && { check: { command: check, state: 'waiting' } }) };
    for (const { session } of trees) this.#setRace(session, race);
    await this.#deps.store.settled();
  }

  /** What each of its sessions changed. @throws {Fault} `not_trusted`, `not_found`, `unavailable` */
  async changes(
    { race }: Params<'x-switchboard/raceChanges'>,
    requester: Requester,
  ): Promise<Result<'x-switchboard/raceChanges'>> {
    trustedWindow(requester);
    const sessions: Result<'x-switchboard/raceChanges'>['sessions'] = [];
    for (const { session, tree, race: of } of this.#require(race)) {
      const files = [];
      for (const path of await changedPaths(this.#git, tree, of.base))
        files.push(toRaceFile(path, await contentIn(this.#git, tree, of.base, path), await contentAt(tree, path)));
      sessions.push({ session, files });
    }
    return { sessions };
  }

  /**
   * Runs the check in the worktrees of all sessions that are not running, each in a terminal of its own.
   * @throws {Fault} `not_trusted`, `not_found`, `turn_in_progress` if all are running
   */
  async check({ race }: Params<'x-switchboard/raceCheck'>, requester: Requester): Promise<void> {
    const { env } = trustedWindow(requester);
    const racers = this.#require(race);
    const idle = racers.filter((it) => it.race.check && !isRunning(it.state));
    if (idle.length === 0 && racers.some((it) => isRunning(it.state)))
      throw new Fault(
        'turn_in_progress',
        'All sessions of this race are still running. Wait until the turn of one of them ends.',
      );
    for (const it of idle) if (!this.#checking.has(it.session)) this.#run(it, env);
    await this.#deps.store.settled();
  }

  /**
   * Puts what was chosen into the person's folder, uncommitted, and then removes the worktrees of the race, whose sessions
   * are archived. If something conflicts, nothing is written and the race continues.
   * @throws {Fault} `not_trusted`, `not_found`, `turn_in_progress`, `invalid_params`, `conflict`, `unavailable`
   */
  async keep(
    { race, chosen }: Params<'x-switchboard/raceKeep'>,
    requester: Requester,
  ): Promise<Result<'x-switchboard/raceKeep'>> {
    trustedWindow(requester);
    const racers = this.#require(race);
    if (this.#ending.has(race)) throw new Fault('unavailable', 'This race is already ending.');
    this.#ending.add(race);
    try {
      const used = new Set(chosen.map((it) => it.session));
      if (racers.some((it) => used.has(it.session) && isRunning(it.state)))
        throw new Fault(
          'turn_in_progress',
          'A session whose changes you want to keep is still running. Stop it, or wait until its turn ends.',
        );
      const written = await writeChosen(this.#git, racers, chosen);
      return { written, kept: await this.#end(racers) };
    } finally {
      this.#ending.delete(race);
    }
  }

  /** @returns URIs of the worktrees that are still there */
  async #end(racers: readonly Racer[]): Promise<string[]> {
    const { store, endTurns, setUps } = this.#deps;
    const kept: string[] = [];
    for (const { session } of racers) {
      await endTurns(session);
      await setUps.stop(session);
      const state = store.state('session', session);
      if (!state) continue;
      this.#setRace(session, undefined);
      if (!hasFlag(state.status, status.IsArchived))
        commitSession(store, session, { type: 'session/isArchivedChanged', isArchived: true });
    }
    await store.settled();
    for (const { state } of racers) {
      const left = await dropWorktree(this.#git, state._meta?.['git']);
      if (left !== undefined) kept.push(left);
    }
    return kept;
  }

  #run({ session, state, race, tree }: Racer, env: WindowInfo['env']): void {
    const { newId, report } = this.#deps;
    const command = race.check!.command;
    this.#checking.add(session);
    this.#setCheck(session, { command, state: 'running' });
    const run = async () => {
      const result = await runInTree(this.#deps, { session, state, tree, command, env });
      this.#checking.delete(session);
      this.#setCheck(session, { command, ...result });
      if (this.#outdated.delete(session)) await this.turnEnded(session);
    };
    run().catch((thrown: unknown) => report(newId(), thrown));
  }

  #setCheck(session: string, check: RaceCheck): void {
    const race = raceOf(this.#deps.store.state('session', session)?._meta);
    if (race) this.#setRace(session, { ...race, check });
  }

  #setRace(session: string, race: Race | undefined): void {
    commitMeta(this.#deps.store, session, RACE, race);
  }

  async #head(tree: string): Promise<string | undefined> {
    const { code, stdout } = await this.#git(['rev-parse', 'HEAD'], { cwd: tree });
    return code === 0 ? stdout.toString('utf8').trim() : undefined;
  }

  /** @throws {Fault} `not_found` */
  #require(id: string): Racer[] {
    const racers = racersIn(this.#deps).filter((it) => it.race.id === id);
    if (racers.length === 0) throw new Fault('not_found', 'The race was ended.');
    return racers;
  }
}

const isRunning = (state: SessionState): boolean => hasFlag(state.status, status.InProgress);
