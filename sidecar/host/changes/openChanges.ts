import { basename, join } from 'node:path';
import type * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import { isComputing } from '../../protocol/channels/changeset/isComputing.ts';
import { isSandboxed } from '../../protocol/channels/session/sandboxChoice.ts';
import { sameJson } from '../../protocol/collections.ts';
import type { InvokeChangesetOperationParams, InvokeChangesetOperationResult } from '../../protocol/commands.ts';
import type { ContentRef, FileEdit } from '../../protocol/shared.ts';
import {
  contentUri,
  parseChangesetUri,
  parseChangesView,
  parseContentUri,
  sessionChangesetUri,
  sessionUri,
  turnChangesetUri,
} from '../../protocol/uris.ts';
import type { Changes, TurnChanges } from './changes.ts';
import type { ChangesDeps } from './changesDeps.ts';
import { type Git, openGit } from './git/git.ts';
import { repositoryAround } from './git/project.ts';
import type { Baselines } from './ledger/baselines.ts';
import { catalogueOf, totalOf } from './ledger/catalogue.ts';
import { ChangesetLedger } from './ledger/changesetLedger.ts';
import { LineCounter } from './ledger/countChanges.ts';
import { RunningTurn } from './ledger/turnChanges.ts';
import type { OperationId } from './ledger/undone.ts';
import { isRepositoryOperation } from './ledger/viewOperations.ts';
import type { SessionOperationDeps } from './operations/invokeInSession.ts';
import { failInPart, failOperation } from './operations/operationStatus.ts';
import type { TurnLedger } from './operations/restoreTurns.ts';
import { inTurnFault, uuidOf } from './sessionOf.ts';
import { ContentStore } from './snapshots/contentStore.ts';
import { FileReader } from './snapshots/fileState.ts';
import { hunksBetween } from './snapshots/lineCounts.ts';
import type { Views } from './views/views.ts';

interface SessionChanges {
  readonly channels: Set<string>;
  /** Those of its changesets whose operations follow its turns: the ones that somebody looks at, and those of the turns. */
  readonly shown: Set<string>;
  running: number;
  last: Promise<unknown>;
}

export function openChanges(deps: ChangesDeps): Changes {
  return new OpenChanges(deps);
}

class OpenChanges implements Changes {
  readonly #deps: ChangesDeps;
  readonly #content: ContentStore;
  readonly #reader: FileReader;
  readonly #counter: LineCounter;
  /** Loaded with the first turn. */
  readonly #baselines: () => Promise<Baselines>;
  readonly #sessions = new Map<string, SessionChanges>();
  readonly #git: Git;
  #views: Views | undefined;

  constructor(deps: ChangesDeps) {
    const { dataDir, clock, timers, report, limits } = deps;
    const folder = join(dataDir, 'baselines');
    const git = openGit(deps.env);
    this.#git = git;
    const content = new ContentStore({ folder: join(dataDir, 'content') });
    this.#deps = deps;
    this.#content = content;
    this.#reader = new FileReader(content, clock, deps.maxKeptBytes);
    this.#counter = new LineCounter({ git, read: (sha) => content.read(sha), temporary: join(dataDir, 'counting') });
    const around = { git, folder, content, reader: this.#reader, clock, timers, report, ...(limits && { limits }) };
    let baselines: Promise<Baselines> | undefined;
    this.#baselines = () => (baselines ??= import('./ledger/baselines.ts').then((it) => new it.Baselines(around)));
  }

  async beginTurn({ session, turnId, folders }: Parameters<Changes['beginTurn']>[0]): Promise<TurnChanges> {
    const uuid = uuidOf(session);
    const whole = this.#ledger(session, sessionChangesetUri(uuid));
    const turn = this.#ledger(session, turnChangesetUri(uuid, turnId));
    const open = this.#open(session);
    open.running += 1;
    try {
      return await this.#inTurn(session, async () => {
        const isInGit = (await Promise.all(folders.map((it) => repositoryAround(it)))).some((it) => it !== undefined);
        for (const it of [whole, turn]) {
          const isNew = it.create();
          open.channels.add(it.channel);
          open.shown.add(it.channel);
          if (isNew || !isComputing(it.state)) it.setStatus(isNew ? 'computing' : 'recomputing');
          it.setOperations(true, it.undone, isInGit);
        }
        this.#showOperations(session);
        this.#advertise(session);
        const baseline = await (await this.#baselines()).open(folders);
        return new RunningTurn({
          folders,
          baseline,
          turn,
          session: whole,
          reader: this.#reader,
          startedMs: this.#deps.clock.nowMs(),
          inTurn: (work) => this.#inTurn(session, work),
          onSettled: () => {
            this.#deps.onTotal(session, totalOf(whole.state.files));
            this.#views?.moved(session);
          },
          onEnd: () => this.#endTurn(session, turn, whole),
          report: this.#deps.report,
        });
      });
    } catch (thrown) {
      this.#endTurn(session, turn, whole); // it may have shown both as busy already
      throw thrown;
    }
  }

  async invoke(
    { channel, operationId, target }: z.infer<typeof InvokeChangesetOperationParams>,
    by: { readonly isTrusted: boolean },
  ): Promise<InvokeChangesetOperationResult> {
    const view = parseChangesView(channel);
    const parsed = view ?? parseChangesetUri(channel);
    if (!parsed || !this.#deps.store.has(channel)) throw new Fault('not_found', 'changeset not found');
    const session = sessionUri(parsed.sessionUuid);
    const open = this.#open(session);
    const ledger = this.#ledger(session, channel);
    const isFree = operationId === 'keep' || operationId === 'patch';
    if (open.running > 0 && !isFree) throw inTurnFault();
    return this.#inTurn(session, async () => {
      const folders = await this.#deps.foldersOf(session);
      const operation = ledger.state.operations?.find((it) => it.id === operationId);
      if (!operation) throw new Fault('invalid_params', 'operation not found', { data: { field: 'operationId' } });
      if (!operation.scopes.includes(target?.kind ?? 'changeset')) {
        throw new Fault('invalid_params', 'the operation does not support this kind of target', {
          data: { field: 'target.kind' },
        });
      }
      // A turn may have begun while the operation waited for its place.
      if (open.running > 0 && !isFree) throw inTurnFault();
      ledger.commit({ type: 'changeset/operationStatusChanged', operationId, status: 'running' });
      let result: InvokeChangesetOperationResult = {};
      try {
        if (isRepositoryOperation(operationId)) {
          const { invokeInRepository } = await import('./operations/invokeInRepository.ts');
          const isUncommitted = view?.kind === 'uncommitted';
          const invocation = { ...this.#repositoryDeps(session), ledger, folders, isUncommitted, target, ...by };
          result = await invokeInRepository(invocation, operationId);
          ledger.commit({ type: 'changeset/operationStatusChanged', operationId, status: 'idle' });
        } else {
          const { invokeInSession } = await import('./operations/invokeInSession.ts');
          const deps = this.#operationDeps(session, ledger, folders);
          result = await invokeInSession(deps, operationId as OperationId, target);
        }
      } catch (thrown) {
        this.#showAllOperations(session);
        failOperation(ledger, operationId, thrown);
        throw thrown;
      }
      this.#showAllOperations(session);
      if (result._meta) failInPart(ledger, operationId, result);
      this.#views?.moved(session);
      const whole = this.#ledger(session, sessionChangesetUri(parsed.sessionUuid));
      this.#deps.onTotal(session, totalOf(whole.state.files));
      return result;
    });
  }

  async changedByTurns(session: string, turns: readonly string[]) {
    const { changedByTurns } = await import('./operations/restoreTurns.ts');
    return changedByTurns(
      this.#turnLedgers(session, turns),
      this.#ledger(session, sessionChangesetUri(uuidOf(session))),
    );
  }
  async restoreTurns(session: string, turns: readonly string[], taken: Parameters<Changes['restoreTurns']>[2]) {
    const { undoTurns } = await import('./operations/restoreTurns.ts');
    return this.#onTurns(session, turns, (ledgers, depsOf) => undoTurns(ledgers, depsOf, taken));
  }
  async redoTurns(session: string, restored: Parameters<Changes['redoTurns']>[1]) {
    const { redoTurns } = await import('./operations/restoreTurns.ts');
    const turns = restored.map((it) => it.turnId);
    return this.#onTurns(session, turns, (ledgers, depsOf) => redoTurns(ledgers, depsOf, restored));
  }

  async ensureChannel(channel: string): Promise<void> {
    if (parseChangesView(channel)) (await this.#loadViews()).ensureChannel(channel);
  }
  async look(channel: string, isTrusted: boolean): Promise<void> {
    if (parseChangesView(channel)) return (await this.#loadViews()).look(channel, isTrusted);
    const parsed = parseChangesetUri(channel);
    if (!parsed || !this.#deps.store.has(channel)) return;
    const session = sessionUri(parsed.sessionUuid);
    const { shown, running } = this.#open(session);
    if (shown.has(channel)) return;
    shown.add(channel);
    if (running > 0) this.#ledger(session, channel).setOperations(true);
  }
  sweep(): void {
    this.#views?.sweep();
  }
  async addWorktree(folder: string, name: string, links: readonly string[]) {
    return (await import('./git/worktrees.ts')).addWorktree(this.#git, folder, name, links);
  }
  async mergeWorktree(meta: unknown) {
    return (await import('./git/worktrees.ts')).mergeWorktree(this.#git, meta, this.#deps.report);
  }
  async removeWorktree(meta: unknown): Promise<string | undefined> {
    return (await import('./git/worktrees.ts')).removeWorktree(this.#git, meta);
  }
  close(): void {
    this.#views?.close();
  }

  async readContent(uri: string): Promise<Uint8Array> {
    const parsed = parseContentUri(uri);
    if (!parsed) throw new Fault('content_not_found', 'content not found');
    return this.#content.read(parsed.sha256);
  }

  async hunksOf({ before, after }: FileEdit) {
    if (!before || !after) return undefined;
    return hunksBetween(await this.readContent(before.content.uri), await this.readContent(after.content.uri));
  }

  holdContent(session: string, uri: string): boolean {
    const { sha256 } = parseContentUri(uri) ?? {};
    const size = sha256 === undefined ? undefined : this.#deps.references.sizeOf(sha256);
    if (sha256 === undefined || size === undefined) return false;
    this.#deps.references.remember(session, sha256, size);
    return true;
  }

  async keepContent(session: string, fileName: string, bytes: Uint8Array): Promise<ContentRef> {
    const { sha, size } = await this.#content.put(bytes);
    this.#deps.references.remember(session, sha, size);
    return { uri: contentUri(sha, basename(fileName)), sizeHint: size, nonce: sha };
  }

  recover(session: string): void {
    for (const channel of this.#channels(session)) {
      const ledger = this.#ledger(session, channel);
      ledger.setStatus('ready');
      ledger.setOperations(false);
    }
  }

  collect(): Promise<void> {
    return this.#content.collect(this.#deps.references.isUsed);
  }

  async forget(session: string): Promise<void> {
    this.#sessions.delete(session);
    this.#views?.sweep();
    await this.#content.drop(this.#deps.references.forget(session));
  }

  async #loadViews(): Promise<Views> {
    const { Views } = await import('./views/views.ts');
    const { store, foldersOf, isWatched, timers, references, report } = this.#deps;
    this.#views ??= new Views({
      git: this.#git,
      store,
      content: this.#content,
      remember: references.remember,
      ledger: (session, channel) => this.#ledger(session, channel),
      turnsOf: (session) => this.#channels(session).flatMap((it) => parseChangesetUri(it)?.turnId ?? []),
      foldersOf,
      isWatched,
      timers,
      report,
    });
    return this.#views;
  }

  #repositoryDeps(session: string) {
    const { title, config } = this.#deps.store.state('session', session) ?? {};
    return {
      isSandboxed: isSandboxed(config?.values),
      git: this.#git,
      report: this.#deps.report,
      read: (sha: string) => this.#content.read(sha),
      keep: (name: string, bytes: Uint8Array) => this.keepContent(session, name, bytes),
      temporary: join(this.#deps.dataDir, 'counting'),
      title: title ?? '',
    };
  }

  #operationDeps(session: string, ledger: ChangesetLedger, folders: readonly string[]): SessionOperationDeps {
    return {
      ledger,
      folders,
      content: this.#content,
      reader: this.#reader,
      read: (sha: string) => this.#content.read(sha),
      whole: this.#ledger(session, sessionChangesetUri(uuidOf(session))),
      ledgers: () => {
        const channels = new Set([ledger.channel, ...this.#channels(session)]);
        return [...channels].map((it) => this.#ledger(session, it));
      },
    };
  }

  /** Changes files of several turns as one operation of the session: nothing of it runs beside a turn. */
  async #onTurns<T>(
    session: string,
    turns: readonly string[],
    work: (ledgers: readonly TurnLedger[], depsOf: (ledger: ChangesetLedger) => SessionOperationDeps) => Promise<T>,
  ): Promise<T> {
    const open = this.#open(session);
    return this.#inTurn(session, async () => {
      if (open.running > 0) throw inTurnFault();
      const folders = await this.#deps.foldersOf(session);
      try {
        return await work(this.#turnLedgers(session, turns), (it) => this.#operationDeps(session, it, folders));
      } finally {
        this.#showAllOperations(session);
        this.#views?.moved(session);
        const whole = this.#ledger(session, sessionChangesetUri(uuidOf(session)));
        this.#deps.onTotal(session, totalOf(whole.state.files));
      }
    });
  }

  /** Of those turns that changed something, in the order that was given. */
  #turnLedgers(session: string, turns: readonly string[]): TurnLedger[] {
    const uuid = uuidOf(session);
    const known = turns.filter((it) => this.#deps.store.has(turnChangesetUri(uuid, it)));
    return known.map((turnId) => ({ turnId, ledger: this.#ledger(session, turnChangesetUri(uuid, turnId)) }));
  }

  #endTurn(session: string, turn: ChangesetLedger, whole: ChangesetLedger): void {
    const open = this.#open(session);
    open.running -= 1;
    turn.setStatus('ready');
    if (open.running === 0) whole.setStatus('ready');
    this.#showOperations(session);
    this.#deps.onTotal(session, totalOf(whole.state.files));
  }

  /** However many turns there were: a changeset that nobody looks at learns what its session does when somebody does. */
  #showOperations(session: string): void {
    const { shown, running } = this.#open(session);
    for (const channel of shown) {
      if (this.#deps.store.has(channel)) this.#ledger(session, channel).setOperations(running > 0);
      if (running === 0 && !this.#deps.isWatched(channel)) shown.delete(channel);
    }
  }

  /** An operation may have changed the files of any. */
  #showAllOperations(session: string): void {
    const { shown } = this.#open(session);
    for (const channel of this.#channels(session)) shown.add(channel);
    this.#showOperations(session);
  }

  #advertise(session: string): void {
    const state = this.#deps.store.state('session', session);
    const catalogue = catalogueOf(uuidOf(session));
    if (!state || sameJson(state.changesets, catalogue.changesets)) return;
    this.#deps.store.commit(session, catalogue);
  }

  #channels(session: string): readonly string[] {
    return [...new Set([...this.#deps.changesetsOf(session), ...this.#open(session).channels])].filter(
      (it) => parseChangesetUri(it) !== undefined && this.#deps.store.has(it),
    );
  }

  #ledger(session: string, channel: string): ChangesetLedger {
    const { store, references } = this.#deps;
    const read = (sha: string) => this.#content.read(sha);
    return new ChangesetLedger(
      { store, counter: this.#counter, read, remember: references.remember },
      session,
      channel,
    );
  }

  #open(session: string): SessionChanges {
    let open = this.#sessions.get(session);
    if (!open)
      this.#sessions.set(
        session,
        (open = { channels: new Set(), shown: new Set(), running: 0, last: Promise.resolve() }),
      );
    return open;
  }

  /** One at a time for a session, in the order of the calls. */
  #inTurn<T>(session: string, work: () => Promise<T>): Promise<T> {
    const open = this.#open(session);
    const next = open.last.then(work);
    open.last = next.catch(() => undefined);
    return next;
  }
}
