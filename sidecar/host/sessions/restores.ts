import { Fault } from '../../platform/faults.ts';
import { Restored, type RestorePreview, type RestoreWhat } from '../../protocol/channels/chat/restore.ts';
import type { ChatState, Turn } from '../../protocol/channels/chat/schema.ts';
import { without } from '../../protocol/collections.ts';
import type { InvokeChangesetOperationResult } from '../../protocol/commands.ts';
import type { Outcome } from '../changes/operations/outcome.ts';
import { toReport } from '../changes/operations/outcome.ts';
import type { RestoredTurn } from '../changes/operations/restoreTurns.ts';
import { commitMeta } from '../context/chatAccess.ts';
import { finishedTurns } from '../context/chatSources.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { TURNS_IN_MEMORY } from '../state/chatPersistence.ts';
import type { Turns } from '../turns/turns.ts';

type Deps = Pick<EffectDeps, 'store' | 'storage' | 'changes'>;

/** One row: what a restore did, and its redo needs. The turns that were cut off are rows of their own. */
interface RestoredRow {
  /** The last turn that was left in the chat; absent: none. */
  readonly after?: string;
  readonly turns: number;
  readonly files: number;
  /** In the order of the turns. */
  readonly undone: readonly RestoredTurn[];
  /** The agent's own conversation, as long as it had the turns that were cut off. */
  readonly resumeId?: string;
}

/**
 * Takes a chat, or the files that its turns changed, back to before a turn. What is taken away is kept until the next turn of
 * the chat begins, also over the death of the host (`host.restore.redo`).
 */
export class Restores {
  readonly #deps: Deps;
  readonly #turns: Pick<Turns, 'resumeAs'>;

  constructor(deps: Deps, turns: Pick<Turns, 'resumeAs'>) {
    this.#deps = deps;
    this.#turns = turns;
  }

  /** @throws {Fault} `session_not_found`, `invalid_params` */
  async preview(chat: string, turnId: string): Promise<RestorePreview> {
    const { session } = this.#find(chat);
    const turns = this.#from(chat, turnId);
    const ids = [...turns, ...this.#cut(chat)].map((it) => it.id);
    return { turns: turns.length, files: [...(await this.#deps.changes.changedByTurns(session, ids))] };
  }

  /** @throws {Fault} `session_not_found`, `invalid_params`, `turn_in_progress`, `unavailable` */
  async restore(chat: string, turnId: string, what: RestoreWhat): Promise<InvokeChangesetOperationResult> {
    const { session } = this.#findIdle(chat);
    const later = this.#from(chat, turnId);
    let outcome: Outcome = { files: 0, left: [] };
    if (what !== 'chat') {
      const ids = [...later, ...this.#cut(chat)].map((it) => it.id);
      outcome = await this.#deps.changes.restoreTurns(session, ids, async (undone) => {
        const row = this.#row(chat);
        await this.#keep(session, chat, { ...row, undone: [...undone, ...row.undone] });
      });
      const row = this.#row(chat);
      if (row.files + row.turns + outcome.files === 0) this.forget(chat);
      else await this.#keep(session, chat, { ...row, files: row.files + outcome.files });
    }
    if (what !== 'files') await this.#cutOff(session, chat, turnId);
    return toReport('restored', outcome);
  }

  /** @throws {Fault} `session_not_found`, `invalid_params`, `turn_in_progress`, `unavailable` */
  async redo(chat: string): Promise<InvokeChangesetOperationResult> {
    const { session } = this.#findIdle(chat);
    const { storage, changes } = this.#deps;
    if (storage.restores.body(chat) === undefined || !this.#isLast(chat))
      throw new Fault('invalid_params', 'There is nothing to redo: a message was sent after the restore.');
    const { undone } = this.#row(chat);
    const outcome = undone.length > 0 ? await changes.redoTurns(session, undone) : { files: 0, left: [] };
    this.#findIdle(chat); // a turn may have begun while files were written
    await this.#putBack(session, chat);
    return toReport('redone', outcome);
  }

  /** Another turn began, or a client cut the chat off elsewhere: what was restored stays so. */
  forget(chat: string): void {
    const { store, storage } = this.#deps;
    const session = store.metadata(chat)?.session ?? '';
    if (shownIn(store.state('session', session)?._meta)[chat] === undefined) return;
    store.writeRows(() => storage.restores.remove(chat));
    this.#show(session, chat, undefined);
  }

  /** Which chat that is, of which session. */
  #find(chat: string): { readonly session: string; readonly state: ChatState } {
    const { store } = this.#deps;
    const session = store.metadata(chat)?.session;
    const state = store.state('chat', chat);
    if (session === undefined || !state) throw new Fault('session_not_found', 'chat not found');
    return { session, state };
  }
  #findIdle(chat: string) {
    const found = this.#find(chat);
    if (found.state.activeTurn) throw new Fault('turn_in_progress', 'Stop the running turn first.');
    return found;
  }

  /** The turn and all after it. */
  #from(chat: string, turnId: string): readonly Turn[] {
    const turns = finishedTurns(this.#deps, chat);
    const at = turns.findIndex((it) => it.id === turnId);
    if (at < 0) throw new Fault('invalid_params', 'turnId: finished turn not found');
    return turns.slice(at);
  }
  /** What earlier restores cut off, while that can still be taken back. */
  #cut(chat: string): readonly Turn[] {
    return this.#isLast(chat) ? this.#deps.storage.restores.turns(chat).map((it) => JSON.parse(it) as Turn) : [];
  }
  #row(chat: string): RestoredRow {
    const body = this.#isLast(chat) ? this.#deps.storage.restores.body(chat) : undefined;
    return body === undefined ? { turns: 0, files: 0, undone: [] } : (JSON.parse(body) as RestoredRow);
  }
  /** Nothing came after what was restored. */
  #isLast(chat: string): boolean {
    const body = this.#deps.storage.restores.body(chat);
    if (body === undefined) return true;
    const last = this.#deps.store.state('chat', chat)?.turns.at(-1)?.id;
    return (JSON.parse(body) as RestoredRow).after === last;
  }

  /** Before anything changes: a host that is killed then knows what there is to take back. */
  async #keep(session: string, chat: string, row: RestoredRow): Promise<void> {
    const { store, storage } = this.#deps;
    const after = store.state('chat', chat)?.turns.at(-1)?.id;
    const { after: _before, ...rest } = row;
    const kept: RestoredRow = { ...rest, ...(after !== undefined && { after }) };
    store.writeRows(() => void (store.has(chat) && storage.restores.put(chat, JSON.stringify(kept))));
    this.#show(session, chat, kept);
    await this.#settled();
  }

  async #cutOff(session: string, chat: string, turnId: string): Promise<void> {
    const { store, storage } = this.#deps;
    this.#findIdle(chat); // a turn may have begun while files were written
    const all = finishedTurns(this.#deps, chat);
    const at = all.findIndex((it) => it.id === turnId);
    if (at < 0) throw new Fault('invalid_params', 'turnId: finished turn not found');
    const gone = all.slice(at);
    const after = all[at - 1]?.id;
    const turns = [...gone, ...this.#cut(chat)].map((it) => JSON.stringify(it));
    const { after: _before, ...row } = this.#row(chat);
    const resumeId = row.resumeId ?? storage.small.resumeId(chat);
    const kept: RestoredRow = {
      ...row,
      turns: turns.length,
      ...(after !== undefined && { after }),
      ...(resumeId !== undefined && { resumeId }),
    };
    const body = JSON.stringify(kept);
    // A tick that could not be written is tried again without what was asked for: then nothing was cut off.
    const isCut = () => store.has(chat) && store.state('chat', chat)?.turns.at(-1)?.id === after;
    // A client that does not hold the turn would cut nothing off: whoever looks at a chat holds those that are in memory.
    const isNear = after === undefined || store.state('chat', chat)?.turns.some((it) => it.id === after);
    if (isNear)
      store.commit(chat, { type: 'chat/truncated', ...(after !== undefined && { turnId: after }) }, undefined, false);
    else this.#load(chat, all.slice(0, at), 0);
    store.writeRows(() => {
      if (!isCut()) return;
      storage.restores.put(chat, body);
      storage.restores.putTurns(chat, turns);
    });
    this.#show(session, chat, kept);
    await this.#settled();
  }

  /**
   * Gives a chat these turns. They are loaded anew, because no action puts turns behind others.
   * @param added how many of the last ones were not there before
   */
  #load(chat: string, all: readonly Turn[], added: number): void {
    const { store } = this.#deps;
    const first = Math.max(0, Math.min(all.length - added, all.length - TURNS_IN_MEMORY));
    const turns = all.slice(first);
    store.commit(chat, { type: 'chat/truncated' }, undefined, false);
    const loaded = { type: 'chat/turnsLoaded' as const, turns, ...(first > 0 && { turnsNextCursor: `t${first}` }) };
    store.commit(chat, loaded, undefined, false);
    store.updateMetadata(chat, { firstTurn: first });
    // The cursor is that of a client's view: the host itself has all.
    store.replaceState('chat', chat, (it) => without(it, 'turnsNextCursor'));
  }

  async #putBack(session: string, chat: string): Promise<void> {
    const { store, storage } = this.#deps;
    const cut = this.#cut(chat);
    const { resumeId } = this.#row(chat);
    if (cut.length > 0) this.#load(chat, [...finishedTurns(this.#deps, chat), ...cut], cut.length);
    const last = cut.at(-1)?.id;
    store.writeRows(() => {
      const isBack = last === undefined || store.state('chat', chat)?.turns.at(-1)?.id === last;
      if (!isBack) return;
      storage.restores.remove(chat);
    });
    this.#show(session, chat, undefined);
    await this.#settled();
    if (resumeId !== undefined && cut.length > 0) this.#turns.resumeAs(chat, resumeId);
  }

  async #settled(): Promise<void> {
    const { store } = this.#deps;
    if (!(await store.settled())) throw new Fault('unavailable', store.failureReason);
  }

  #show(session: string, chat: string, row: RestoredRow | undefined): void {
    const { store } = this.#deps;
    const state = store.state('session', session);
    if (!state) return;
    const { [chat]: _own, ...shown } = shownIn(state._meta);
    // Chats that are gone take nothing back any more.
    const there = Object.entries(shown).filter(([uri]) => state.chats.some((it) => it.resource === uri));
    const now: Restored = Object.fromEntries(there);
    if (row) {
      const { turns, files, after } = row;
      now[chat] = { turns, files, ...(after !== undefined && { after }) };
    }
    commitMeta(store, session, 'restored', Object.keys(now).length > 0 ? now : undefined, false);
  }
}

function shownIn(meta: Readonly<Record<string, unknown>> | undefined): Restored {
  return Restored.safeParse(meta?.['restored']).data ?? {};
}
