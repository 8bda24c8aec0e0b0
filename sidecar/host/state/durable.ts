import { parseEnvelope } from '../../protocol/envelope.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import { type Chain, chainAfter, fromLine } from '../storage/journalChain.ts';
import type { Envelope, Loaded, Persistence } from './persistence.ts';
import { type Pending, writeTick } from './tick.ts';

/** A channel as rows shall have it; `undefined` when it was taken away. */
type Current = (channel: string) => Loaded | undefined;
type Bases = ReadonlyMap<string, Loaded | undefined>;

export interface DurableDeps {
  readonly storage: HostStorage;
  /** By kind of channel; a kind without a row here lives in memory only. */
  readonly persistence: Readonly<Record<string, Persistence>>;
}

const SEQ_RESERVE = 10_000;
/** Longer ones gain nothing from the journal. */
const MAX_JOURNALED_LENGTH = 16 * 1024;
/** So many actions at most wait for their rows. */
const MAX_BEHIND = 1_000;

/**
 * How ticks become durable. One that changes a single channel a little (a delta, a draft) is appended to the journal, and
 * many such become rows in one transaction soon after. Every other one becomes rows at once, with what is behind.
 */
export class Durable {
  readonly #deps: DurableDeps;
  #behind: Pending[] = [];
  /** The channels of what is behind, as rows have them. */
  readonly #inRows = new Map<string, Loaded | undefined>();
  #seqReserved: number;
  /** The journal must keep its lines, because a power failure could still undo the rows that replace them. */
  #mustKeepLines: boolean;
  /** Covers everything that is durable, in lines and in rows. */
  #chain: Chain;

  constructor(deps: DurableDeps) {
    this.#deps = deps;
    this.#seqReserved = deps.storage.small.number('serverSeq');
    this.#mustKeepLines = deps.storage.journal.hasLines;
    this.#chain = deps.storage.small.number('chain');
  }

  /** True while something is in the journal that is not in rows. */
  get isBehind(): boolean {
    return this.#behind.length > 0;
  }

  /**
   * Makes a tick durable, with all that was before it.
   * @param bases the channels that it touched, as they were before
   * @param mayWait false where rows could not be written lately
   * @returns the channels whose rows are as they are in memory now
   * @throws {StorageFault} and the tick is nowhere
   */
  write(tick: readonly Pending[], bases: Bases, now: Current, serverSeq: number, mayWait: boolean): Iterable<string> {
    const lines = mayWait && serverSeq <= this.#seqReserved ? this.#linesOf(tick) : undefined;
    if (lines === undefined) return this.#writeRows(tick, bases, now, serverSeq);
    if (lines.length > 0) this.#chain = this.#deps.storage.journal.append(lines, this.#chain);
    this.adopt(tick, bases);
    return [];
  }

  /** Takes a tick that is durable already: it waits for its rows. */
  adopt(tick: readonly Pending[], bases: Bases): void {
    for (const it of tick) if (it.kind === 'action') this.#behind.push(it);
    for (const [channel, base] of bases) if (!this.#inRows.has(channel)) this.#inRows.set(channel, base);
  }

  /**
   * Makes rows of what is behind.
   * @param now the channels as they are durable
   * @returns the channels that were written
   * @throws {StorageFault} and all is as before
   */
  catchUp(now: Current, serverSeq: number): Iterable<string> {
    return this.isBehind ? this.#writeRows([], new Map(), now, serverSeq) : [];
  }

  /**
   * A sync has ended.
   * @param wereRows whether everything was in rows when it began
   */
  synced(wereRows: boolean): void {
    const { journal } = this.#deps.storage;
    this.#mustKeepLines = !wereRows && journal.hasLines;
    if (wereRows && !this.isBehind && journal.hasLines) journal.clear();
  }

  /** Called once. @returns what an earlier host journaled and did not write as rows, oldest first */
  unwritten(): Envelope[] {
    const { journal, small } = this.#deps.storage;
    const written = small.number('journaled');
    const envelopes: Envelope[] = [];
    let kept = 0;
    for (const line of journal.remaining()) {
      const { text, chain } = fromLine(line);
      const envelope = readEnvelope(text);
      if (!envelope) break;
      if (envelope.serverSeq > written) {
        const expected = chainAfter(this.#chain, text);
        if (chain !== undefined && chain !== expected) break; // something before it is missing
        this.#chain = expected;
        envelopes.push(envelope);
      }
      kept += 1;
    }
    journal.keep(kept);
    return envelopes;
  }

  #writeRows(tick: readonly Pending[], bases: Bases, now: Current, serverSeq: number): Iterable<string> {
    const { storage, persistence } = this.#deps;
    const onDisk = new Map([...bases, ...this.#inRows]); // of a channel in both, rows have the older one
    const reserve = serverSeq > this.#seqReserved ? serverSeq + SEQ_RESERVE : undefined;
    if (onDisk.size === 0 && reserve === undefined && tick.every((it) => it.kind === 'private')) return [];
    const journaled = storage.journal.hasLines ? serverSeq : undefined;
    // Lines that become rows do not change the chain, because they are in it already.
    const chain = tick.length === 0 ? this.#chain : chainAfter(this.#chain, `${serverSeq}`);
    const all = this.isBehind ? [...this.#behind, ...tick] : tick;
    writeTick({ storage, persistence, tick: all, onDisk, now, reserve, journaled, chain });
    this.#chain = chain;
    if (reserve !== undefined) this.#seqReserved = reserve;
    this.#behind = [];
    this.#inRows.clear();
    if (journaled !== undefined && !this.#mustKeepLines) storage.journal.clear();
    return onDisk.keys();
  }

  /** The texts of a tick for the journal, or `undefined` when it has to become rows at once. */
  #linesOf(tick: readonly Pending[]): string[] | undefined {
    if (!this.#deps.storage.mayJournal || this.#behind.length + tick.length > MAX_BEHIND) return undefined;
    const lines: string[] = [];
    let length = 0;
    for (const it of tick) {
      if (it.kind === 'private') continue; // for one connection, and kept nowhere
      if (it.kind !== 'action' || !it.isPlain) return undefined;
      if (!it.isKept) {
        if (it.envelope.origin) return undefined; // the dispatch is remembered, in rows
        continue;
      }
      lines.push(it.text);
      length += it.text.length;
      if (length > MAX_JOURNALED_LENGTH) return undefined;
    }
    return lines;
  }
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    const envelope: unknown = JSON.parse(text);
    return parseEnvelope(envelope).success ? (envelope as Envelope) : undefined;
  } catch {
    return undefined; // the disk lost a part of it: nothing after it can be trusted
  }
}
