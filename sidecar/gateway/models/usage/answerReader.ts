import type { ModelDialect } from '../../../protocol/gateway/modelProviders/definition.ts';
import { EventReader } from './eventReader.ts';
import { type ModelUsage, memberOf, usageMember, usageReaders } from './modelUsage.ts';

/** Reads token counts from a response while it passes. */
export interface AnswerReader {
  /** @returns the bytes to forward now; `undefined` if the rest of an event is needed first */
  chunk(bytes: Buffer): Uint8Array | undefined;
  /** @returns bytes that were still held */
  end(): Uint8Array | undefined;
  /**
   * The tokens of the whole response; `undefined` if it was interrupted before it counted them all.
   *
   * @param isWhole the response is complete
   */
  usage(isWhole: boolean): ModelUsage | undefined;
}

/** A longer response is not kept, so its tokens stay unknown. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** @param removesUsage removes the event that only the gateway asked for */
export function answerReader(dialect: ModelDialect, contentType: string, removesUsage: boolean): AnswerReader {
  return /^text\/event-stream\b/i.test(contentType)
    ? new EventReader(dialect, removesUsage, MAX_KEPT_BYTES)
    : new WholeReader(dialect);
}

/** Keeps a response that is a single JSON text, and reads it at its end. */
class WholeReader implements AnswerReader {
  readonly #dialect: ModelDialect;
  #chunks: Buffer[] | undefined = [];
  #size = 0;

  constructor(dialect: ModelDialect) {
    this.#dialect = dialect;
  }

  chunk(bytes: Buffer): Uint8Array {
    this.#size += bytes.length;
    if (this.#size > MAX_KEPT_BYTES) this.#chunks = undefined;
    else this.#chunks?.push(bytes);
    return bytes;
  }
  end(): undefined {
    return undefined;
  }

  usage(isWhole: boolean): ModelUsage | undefined {
    if (!this.#chunks || !isWhole) return undefined;
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const read = usageReaders[this.#dialect];
    // Without `alt=sse`, Gemini streams a JSON list.
    if (this.#dialect === 'gemini' && bytes[0] === openList) return read(lastOfList(bytes));
    return read(memberOf(bytes, usageMember(this.#dialect)));
  }
}

const openList = 0x5b;

function lastOfList(bytes: Buffer): unknown {
  try {
    const list = JSON.parse(bytes.toString()) as readonly Readonly<Record<string, unknown>>[];
    return list.map((it) => it['usageMetadata']).findLast((it) => it !== undefined);
  } catch {
    return undefined; // the list is incomplete
  }
}
