import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type HostTurns, openHostTurns } from './hostTurns.ts';
import { indexedText } from './indexedText.ts';
import { IndexRows } from './indexRows.ts';
import { type MatchRange, matchingLine, readQuery, shortQuery, type Term, trigramQuery } from './terms.ts';

/** Changes that one step takes over, and characters of stored turns after which it ends. */
const STEP_CHANGES = 256;
const STEP_LENGTH = 1_000_000;
/** Pieces of text that one search reads: where few of many candidates match, the next page goes on from there. */
const MOST_EXAMINED = 4_000;
/** Steps that a search waits for, so that it finds what was said a moment ago. */
const STEPS_BEFORE_SEARCH = 4;
/** Times that a damaged index is made anew before whoever asks is told. */
const MOST_REBUILDS = 2;
/** Above every piece of text. */
const NEWEST = 2n ** 63n - 1n;
const FILE = 'search.db';

export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  readonly cursor?: string;
}
export interface TranscriptMatch {
  readonly session: string;
  readonly title: string;
  readonly chat: string;
  readonly turnId: string;
  readonly line: string;
  readonly ranges: readonly MatchRange[];
  /** Milliseconds. */
  readonly atMs: number;
}
export interface SearchPage {
  readonly items: readonly TranscriptMatch[];
  readonly nextCursor?: string;
  /** Older turns are still being added. */
  readonly isIndexing: boolean;
}
export interface StepResult {
  readonly hasMore: boolean;
  /** Changes up to this number are in the index for good. */
  readonly indexed: number;
}

/**
 * What was said in all chats, in a file beside the host's database that can be made anew from it at any time. It is for a
 * thread of its own: everything here is synchronous, and each call is short.
 */
export class TranscriptIndex {
  readonly #file: string;
  readonly #host: HostTurns;
  #rows: IndexRows;
  #rebuilds = 0;

  constructor(dataDir: string) {
    this.#file = join(dataDir, FILE);
    this.#host = openHostTurns(join(dataDir, 'host.db'));
    this.#rows = this.#open();
  }

  /** Takes over what changed, then some older turns that were there before the index was. */
  step(): StepResult {
    return this.#mended(() => {
      const hasMore = this.#followChanges() || this.#addOlder();
      return { hasMore, indexed: this.#rows.number('indexed') };
    });
  }

  /** Newest turns first, one match for each. */
  search({ query, limit, cursor }: SearchRequest): SearchPage {
    return this.#mended(() => {
      for (let count = 0; count < STEPS_BEFORE_SEARCH && this.#followChanges(); count += 1);
      this.#addOlder(); // all of a small database
      const terms = readQuery(query);
      const found = this.#find(terms, limit, cursor === undefined ? NEWEST : BigInt.asUintN(63, BigInt(cursor)));
      return { ...found, isIndexing: this.#rows.number('older') > 0 };
    });
  }

  close(): void {
    this.#rows.close();
    this.#host.close();
  }

  #find(terms: readonly Term[], limit: number, before: bigint): Pick<SearchPage, 'items' | 'nextCursor'> {
    const [long, short] = [trigramQuery(terms), shortQuery(terms)];
    const items: TranscriptMatch[] = [];
    let examined = 0;
    let last = before;
    const candidates = long === undefined ? this.#rows.withShort(short, before) : this.#rows.withTrigrams(long, before);
    for (const { id, body } of candidates) {
      if (id >= last) continue; // the turn has its match
      if (items.length === limit || examined === MOST_EXAMINED) return { items, nextCursor: String(last) };
      examined += 1;
      last = id;
      const line = matchingLine(body, terms);
      const turn = line && this.#rows.turnOf(id);
      if (!turn) continue;
      last = turn.low;
      const session = this.#host.session(turn.chat);
      if (session) items.push({ ...session, chat: turn.chat, turnId: turn.id, atMs: turn.atMs, ...line });
    }
    return { items };
  }

  /** @returns whether there may be more */
  #followChanges(): boolean {
    const changes = this.#host.changesAfter(this.#rows.number('indexed'), STEP_CHANGES);
    const [first] = changes;
    if (!first) return false;
    if (first.seq !== this.#rows.number('indexed') + 1) {
      this.#startOver(); // some of it was taken away, for an index that is not here any more
      return true;
    }
    this.#rows.transaction(() => {
      let length = 0;
      for (const { seq, chat, n, isCut } of changes) {
        if (length > STEP_LENGTH) return;
        this.#rows.remove(chat, n, isCut ? Number.MAX_SAFE_INTEGER : n);
        length += isCut ? 0 : this.#add(chat, n);
        this.#rows.putNumber('indexed', seq);
      }
    });
    return true;
  }

  /** @returns whether there may be more */
  #addOlder(): boolean {
    const before = this.#rows.number('older');
    if (before === 0) return false;
    this.#rows.transaction(() => {
      let length = 0;
      const older = this.#host.turnsBefore(before, STEP_CHANGES);
      const last = older.find(({ chat, n }) => {
        if (!this.#rows.has(chat, n)) length += this.#add(chat, n);
        return length > STEP_LENGTH;
      });
      const isEnd = last === undefined && older.length < STEP_CHANGES;
      this.#rows.putNumber('older', isEnd ? 0 : ((last ?? older.at(-1))?.rowid ?? 0));
    });
    return true;
  }

  #add(chat: string, n: number): number {
    const turn = this.#host.turn(chat, n);
    if (!turn) return 0; // it went meanwhile, and a later change says so
    const { atMs, chunks } = indexedText(turn.body);
    this.#rows.add({ chat, n, id: turn.id, atMs }, chunks);
    return turn.body.length;
  }

  #open(): IndexRows {
    try {
      const rows = new IndexRows(new DatabaseSync(this.#file));
      const identity = this.#host.identity();
      const newest = this.#host.newestChange();
      const indexed = rows.number('indexed');
      const isOurs = rows.text('identity') === identity;
      // What is between is in the host's database still, unless another index had it, or the database was put back.
      const isWhole = indexed === newest || this.#host.changesAfter(indexed, 1)[0]?.seq === indexed + 1;
      if (isOurs && isWhole) return rows;
      rows.close();
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
    }
    return this.#openAnew();
  }

  #openAnew(): IndexRows {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${this.#file}${suffix}`, { force: true });
    const rows = new IndexRows(new DatabaseSync(this.#file));
    rows.transaction(() => {
      rows.putText('identity', this.#host.identity());
      rows.putNumber('indexed', this.#host.newestChange());
      rows.putNumber('older', this.#host.newestTurn() + 1);
    });
    return rows;
  }

  #startOver(): void {
    this.#rows.close();
    this.#rows = this.#openAnew();
  }

  /** A damaged index is made anew; nothing is in it that is not in the host's database. */
  #mended<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      if (!isDamage(thrown) || this.#rebuilds === MOST_REBUILDS) throw thrown;
      this.#rebuilds += 1;
      this.#startOver();
      return work();
    }
  }
}

/** By primary result code of SQLite: damaged, or no database at all. */
function isDamage(thrown: unknown): boolean {
  const { errcode } = (thrown instanceof Error ? thrown : {}) as { errcode?: unknown };
  return typeof errcode === 'number' && [11, 26].includes(errcode & 0xff);
}
