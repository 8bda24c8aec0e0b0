import type { Timers } from '../../../platform/timers.ts';
import type { Caller } from '../../auth/caller.ts';
import { redactContent } from '../../guardrails/redaction/redactContent.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { StoredCall } from './storedCall.ts';

/** What is stored of requests and responses. */
export interface ContentOptions {
  readonly keepDays: number;
  /** Of a request, and of a response. */
  readonly maxBytes: number;
  readonly redactsPersonalData: boolean;
}

/** Of all requests and responses that are held, or wait to be written. What does not fit is not stored. */
export const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** Rows in one statement. */
const ROWS = 8;

/** The requests and responses of calls, from their arrival until they are in the database. */
export class Contents {
  readonly #options: ContentOptions;
  readonly #store: Pick<GatewayStore, 'callContents'>;
  readonly #timers: Pick<Timers, 'soon'>;
  readonly #hidden: readonly string[];
  /** Ended, oldest first. */
  readonly #waiting: StoredCall[] = [];
  #heldBytes = 0;
  #dropped = 0;

  /** @param hidden taken out of everything: keys that have no form of their own */
  constructor(
    options: ContentOptions,
    store: Pick<GatewayStore, 'callContents'>,
    timers: Pick<Timers, 'soon'>,
    hidden: readonly string[],
  ) {
    this.#options = options;
    this.#store = store;
    this.#timers = timers;
    this.#hidden = hidden;
  }

  /** Calls of which nothing was stored because too much was held, since the start. */
  get dropped(): number {
    return this.#dropped;
  }
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** For a new call; `undefined` where the key or its team does not want it stored. */
  begin({ key, team }: Pick<Caller, 'key' | 'team'>): StoredCall | undefined {
    if (key.no_content_log || team?.no_content_log) return undefined;
    return new StoredCall({
      maxBytes: this.#options.maxBytes,
      hold: (bytes) => {
        if (this.#heldBytes + bytes > MAX_HELD_BYTES) return false;
        this.#heldBytes += bytes;
        return true;
      },
      release: (bytes) => {
        this.#heldBytes -= bytes;
      },
      ended: (call) => void this.#waiting.push(call),
      dropped: () => {
        this.#dropped += 1;
      },
    });
  }

  /** Writes what waits. @throws {Fault} `unavailable`; what was not written is tried again */
  async write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.slice(0, ROWS);
      const rows = [];
      for (const it of calls) {
        rows.push(it.row((text) => this.#clean(text, it)));
        // Taking secrets out of a large text takes long: other calls go on before the next one.
        await new Promise<void>((done) => void this.#timers.soon(done));
      }
      await this.#store.callContents.write(rows);
      this.#waiting.splice(0, calls.length);
      for (const it of calls) it.release();
    }
  }

  #clean(text: string, { hidden }: StoredCall): string {
    const { redactsPersonalData } = this.#options;
    return redactContent(text, { redactsPersonalData, hidden: new Set([...this.#hidden, ...hidden]) });
  }
}
