import { hash } from 'node:crypto';
import { BoundedMap } from '../../platform/boundedMap.ts';
import type { Clock } from '../../platform/clock.ts';
import { isRecord } from '../../platform/isRecord.ts';
import { isProtobufMethod } from '../../protocol/gateway/a2aWire.ts';
import type { CallContext } from '../auth/caller.ts';
import type { Judged, Probe } from './message.ts';
import { type AskedId, idsAsked, type NamedId, put } from './namedIds.ts';
import { noSuchTask } from './refusal.ts';

/** Where it is kept who an id belongs to, for all replicas. Ids and owners are hashes. */
export interface OwnerStore {
  /** The owner of each id that has one. @throws {Fault} */
  of(ids: readonly string[], nowMs: number): Promise<ReadonlyMap<string, string>>;
  /** Gives those to `owner` that have none. @returns the owners of all @throws {Fault} */
  claim(ids: readonly string[], owner: string, nowMs: number): Promise<ReadonlyMap<string, string>>;
}

/** Ids that are remembered at a time; the oldest go first, and are read again when they are named. */
const maxRemembered = 50_000;
/** From time to time an id is read again, so that it is not forgotten while it is in use. */
const REMEMBERED_MS = 60 * 60_000;

/** Who calls which agent. */
export interface Conversant {
  readonly context: CallContext;
  readonly agentId: string;
}

/**
 * Whose the contexts and tasks of agents are. An agent sees one credential of the gateway whoever calls, so it cannot
 * distinguish its callers: an id that was given to one must be worth nothing to another. An id belongs to the record of a key,
 * which a rotation keeps, together with the end user that the call names; administrators have no more than anybody else.
 * An owner never changes, so what is remembered here is true at every replica.
 *
 * Tasks get their ids from agents: one that no answer gave through this gateway was begun by somebody else, or before
 * owners were kept, and nobody can say by whom; it is refused. Clients may make up contexts: those belong to whoever names
 * them first in a message.
 */
export class Owners {
  readonly #kept: OwnerStore;
  readonly #clock: Clock;
  readonly #remembered = new BoundedMap<string, { readonly owner: string; readonly endsMs: number }>(maxRemembered);

  constructor(kept: OwnerStore, clock: Clock) {
    this.#kept = kept;
    this.#clock = clock;
  }

  /**
   * Returns a request unchanged if all its IDs belong to the caller. A context that a message names first becomes the
   * caller's. Other requests become probes in which the IDs of others are replaced by IDs that no agent has.
   * @throws {Refusal} as for a task that does not exist @throws {Fault} `unavailable`
   */
  async check(conversant: Conversant, judged: Judged): Promise<Judged> {
    const { request, method } = judged;
    const named = idsAsked(request, method);
    if (named.length === 0) return judged;
    const owner = ownerOf(conversant);
    const owners = await this.#ownersOf(named.map((it) => idOf(conversant, it)));
    const free: string[] = [];
    const foreign: AskedId[] = [];
    const refuse = () => noSuchTask(request.id, isProtobufMethod(request.method));
    for (const it of named) {
      const id = idOf(conversant, it);
      const found = owners.get(id);
      if (found === undefined && it.kind === 'context' && method.isMessage) free.push(id);
      else if (found !== owner) foreign.push(it);
    }
    if (foreign.length > 0 && method.isMessage) throw refuse();
    if (foreign.length > 0) return asProbe(conversant, judged, foreign, refuse());
    if (free.length === 0) return judged;
    // Of two who name a new context at the same time one has it.
    const claimed = await this.#claim(free, owner);
    if (free.some((it) => claimed.get(it) !== owner)) throw refuse();
    return judged;
  }

  /**
   * Notes that an answer gives these ids to the caller; those that somebody has stay theirs.
   * @returns when it is written: before that the answer must not leave. `undefined` where nothing is new
   * @throws {Fault} `unavailable`
   */
  give(conversant: Conversant, given: readonly NamedId[]): Promise<unknown> | undefined {
    const fresh = [...new Set(given.map((it) => idOf(conversant, it)))].filter((it) => !this.#recall(it));
    return fresh.length === 0 ? undefined : this.#claim(fresh, ownerOf(conversant));
  }

  /** Those of the tasks in a list that belong to the caller. @throws {Fault} `unavailable` */
  async own(conversant: Conversant, tasks: readonly unknown[]): Promise<readonly unknown[]> {
    const named = tasks.flatMap((task) => {
      const id = isRecord(task) ? task['id'] : undefined;
      return typeof id === 'string' ? [{ task, id: idOf(conversant, { kind: 'task', id }) }] : [];
    });
    const owners = await this.#ownersOf(named.map((it) => it.id));
    const owner = ownerOf(conversant);
    return named.filter((it) => owners.get(it.id) === owner).map((it) => it.task);
  }

  async #ownersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const known = new Map<string, string>();
    const unknown = new Set<string>();
    for (const id of ids) {
      const owner = this.#recall(id);
      if (owner === undefined) unknown.add(id);
      else known.set(id, owner);
    }
    if (unknown.size === 0) return known;
    const read = this.#remember(await this.#kept.of([...unknown], this.#clock.nowMs()));
    return new Map([...known, ...read]);
  }

  async #claim(ids: readonly string[], owner: string): Promise<ReadonlyMap<string, string>> {
    return this.#remember(await this.#kept.claim([...new Set(ids)], owner, this.#clock.nowMs()));
  }

  #recall(id: string): string | undefined {
    const found = this.#remembered.get(id);
    return found && found.endsMs > this.#clock.monotonicMs() ? found.owner : undefined;
  }

  #remember(owners: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const endsMs = this.#clock.monotonicMs() + REMEMBERED_MS;
    for (const [id, owner] of owners) this.#remembered.set(id, { owner, endsMs });
    return owners;
  }
}

/**
 * Replaces the given IDs by IDs that no agent has. The agent's answer is then the same for an ID of another caller and for one
 * that does not exist. An earlier probe keeps its refusal.
 */
function asProbe(
  conversant: Conversant,
  judged: Judged,
  foreign: readonly AskedId[],
  instead: Probe['instead'],
): Judged {
  const { request } = judged;
  const standIns = new Map(foreign.map((it) => [standInFor(conversant, it), it.id]));
  const params = foreign.reduce<unknown>((held, it) => put(held, it.path, standInFor(conversant, it)), request.params);
  const restore = (text: string) =>
    [...standIns].reduce((held, [id, asked]) => held.replaceAll(id, () => JSON.stringify(asked).slice(1, -1)), text);
  return { ...judged, request: { ...request, params }, probe: { says: () => true, instead, ...judged.probe, restore } };
}

/** In the format of a UUID, because most agents expect one. */
function standInFor({ agentId }: Conversant, { kind, id }: NamedId): string {
  const digits = hash('sha256', JSON.stringify(['stand-in', agentId, kind, id]), 'hex');
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ];
  return parts.join('-');
}

const ownerOf = ({ context: { caller } }: Conversant) => hashOf([caller.key.token_id, caller.endUserId]);

const idOf = ({ agentId }: Conversant, { kind, id }: NamedId) => hashOf([agentId, kind, id]);

/** Of one length, however long the ids of an agent are. */
const hashOf = (names: readonly unknown[]) => hash('sha256', JSON.stringify(names), 'base64url');
