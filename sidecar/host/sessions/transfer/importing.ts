import { createHash } from 'node:crypto';
import { Fault } from '../../../platform/faults.ts';
import { annotationsSummary } from '../../../protocol/channels/annotations/summary.ts';
import type { ChatState, Turn } from '../../../protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../protocol/channels/session/schema.ts';
import type { RecordOf, SessionHead, SessionRecord } from '../../../protocol/channels/session/sessionFile.ts';
import { status } from '../../../protocol/status.ts';
import {
  annotationsUri,
  chatUri,
  contentUri,
  isName,
  parseSessionUri,
  schemes,
  sessionChangesetUri,
  sessionUri,
  turnChangesetUri,
} from '../../../protocol/uris.ts';
import { catalogueOf, totalOf } from '../../changes/ledger/catalogue.ts';
import { commitSession } from '../../context/chatAccess.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import { toChatSummary } from '../aggregate.ts';

type Deps = Pick<EffectDeps, 'store' | 'changes' | 'newId'>;

/**
 * A session on its way in. It is unlisted until its last record came, and archived and read-only from then on: it has no
 * folder, so that nothing of the file names a place on this machine where anything is read, run or undone.
 */
export class Importing {
  readonly session: string;
  readonly #deps: Deps;
  readonly #uuid: string;
  /** From addresses in the file to those here. */
  readonly #addresses: Map<string, string>;
  /** Ids of the turns of each chat. */
  readonly #turns = new Map<string, Set<string>>();

  /** @throws {Fault} `invalid_params`, `session_exists` */
  constructor(deps: Deps, session: string, { session: about }: SessionHead) {
    const uuid = parseSessionUri(session);
    if (uuid === undefined) throw new Fault('invalid_params', 'session: not a session URI');
    if (deps.store.has(session)) throw new Fault('session_exists', 'the session already exists');
    this.#deps = deps;
    this.session = session;
    this.#uuid = uuid;
    this.#addresses = new Map([
      [sessionUri('0'), session],
      [`${schemes.changeset}:/0`, `${schemes.changeset}:/${uuid}`],
    ]);
    const state: SessionState = {
      provider: about.provider,
      title: about.title,
      status: status.Idle | status.IsRead | status.IsArchived,
      lifecycle: 'creating',
      workingDirectories: [],
      annotations: annotationsSummary(session),
      serverTools: [],
      activeClients: [],
      chats: [],
      changesets: [],
      _meta: { imported: { folders: about.folders } },
    };
    deps.store.create('session', session, state, { createdAt: about.createdAt });
  }

  /** @throws {Fault} `invalid_params` naming the record, `unavailable` when it cannot be written */
  async add(records: readonly SessionRecord[]): Promise<void> {
    for (const [at, record] of records.entries()) {
      try {
        await this.#addOne(record);
      } catch (thrown) {
        if (thrown instanceof Fault) throw new Fault(thrown.code, `records.${at}: ${thrown.message}`);
        throw thrown;
      }
    }
    await this.#settled();
  }

  /** The session is there. */
  async finish(): Promise<void> {
    const { store } = this.#deps;
    if (this.#turns.size === 0) throw new Fault('invalid_params', 'records: the session has no chat');
    const { changesets } = catalogueOf(this.#uuid);
    const whole = store.state('changeset', sessionChangesetUri(this.#uuid));
    if (whole) {
      const shown = changesets.filter((it) => it.changeKind === 'session' || it.changeKind === 'turn');
      commitSession(store, this.session, { type: 'session/changesetsChanged', changesets: shown });
      store.updateMetadata(this.session, { changes: totalOf(whole.files) });
    }
    store.updateMetadata(this.session, { listed: true });
    commitSession(store, this.session, { type: 'session/ready' });
    await this.#settled();
  }

  /** Nothing of it stays. */
  async abandon(): Promise<void> {
    const { store, changes } = this.#deps;
    for (const turn of [...this.#turns.values()].flatMap((it) => [...it]))
      store.remove(turnChangesetUri(this.#uuid, turn));
    store.remove(sessionChangesetUri(this.#uuid));
    store.remove(annotationsUri(this.session));
    for (const chat of this.#turns.keys()) store.remove(chat);
    store.remove(this.session);
    await store.settled();
    await changes.forget(this.session);
  }

  async #settled(): Promise<void> {
    const { store } = this.#deps;
    if (!(await store.settled())) throw new Fault('unavailable', store.failureReason);
  }

  async #addOne(record: SessionRecord): Promise<void> {
    switch (record.kind) {
      case 'content':
        return this.#content(record);
      case 'chat':
        return this.#chat(record);
      case 'turn':
        return this.#turn(record.chat, this.#convert(record.turn));
      case 'change':
        return this.#change(record);
      case 'comment': {
        const comment = this.#convert(record.comment);
        this.#deps.store.replaceState('annotations', annotationsUri(this.session), (it) => ({
          annotations: [...it.annotations.filter(({ id }) => id !== comment.id), comment],
        }));
      }
    }
  }

  async #content({ sha256, encoding, data }: RecordOf<'content'>): Promise<void> {
    const bytes = Buffer.from(data, encoding);
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new Fault('invalid_params', 'sha256: does not match the data');
    await this.#deps.changes.keepContent(this.session, contentUri(sha256, 'content'), bytes);
  }

  #chat({ chat: address, title, modifiedAt, origin, isDefault }: RecordOf<'chat'>): void {
    const { store, newId } = this.#deps;
    if (this.#addresses.has(address)) throw new Fault('invalid_params', 'chat: already in the file');
    const chat = chatUri(newId());
    this.#addresses.set(address, chat);
    this.#turns.set(chat, new Set());
    const state: ChatState = {
      resource: chat,
      title,
      status: status.Idle | status.IsRead,
      modifiedAt,
      ...(origin && { origin: this.#convert(origin) }),
      interactivity: 'read-only',
      turns: [],
    };
    store.create('chat', chat, state, { session: this.session, firstTurn: 0 });
    commitSession(store, this.session, { type: 'session/chatAdded', summary: toChatSummary(state) }, false);
    if (isDefault) commitSession(store, this.session, { type: 'session/defaultChatChanged', defaultChat: chat }, false);
  }

  #turn(address: string, turn: Turn): void {
    const chat = this.#addresses.get(address) ?? '';
    const known = this.#turns.get(chat);
    if (!known) throw new Fault('invalid_params', 'chat: not found among the earlier chats');
    if (known.has(turn.id) || !isName(turn.id)) throw new Fault('invalid_params', 'turn.id: missing or already used');
    known.add(turn.id);
    this.#deps.store.replaceState('chat', chat, (it) => ({ ...it, turns: [...it.turns, turn] }));
  }

  #change({ turn, file }: RecordOf<'change'>): void {
    const { store } = this.#deps;
    if (turn !== undefined && ![...this.#turns.values()].some((it) => it.has(turn)))
      throw new Fault('invalid_params', 'turn: not found among the earlier turns');
    const channel = turn === undefined ? sessionChangesetUri(this.#uuid) : turnChangesetUri(this.#uuid, turn);
    if (!store.has(channel))
      store.create('changeset', channel, { status: 'ready', files: [], operations: [] }, { session: this.session });
    store.replaceState('changeset', channel, (it) => ({
      ...it,
      files: [...it.files.filter(({ id }) => id !== file.id), this.#convert(file)],
    }));
  }

  /** Addresses of the file become those here, wherever they stand. */
  #convert<T>(value: T): T {
    return this.#here(value) as T;
  }
  #here(value: unknown): unknown {
    if (typeof value === 'string') return this.#address(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((it) => this.#here(it));
    return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, this.#here(it)]));
  }
  #address(text: string): string {
    if (!text.startsWith('host-')) return text;
    const whole = this.#addresses.get(text);
    if (whole !== undefined) return whole;
    const [owner] = /^host-[a-z-]+:\/[^/]+/.exec(text) ?? [''];
    const here = this.#addresses.get(owner);
    return here === undefined ? text : `${here}${text.slice(owner.length)}`;
  }
}
