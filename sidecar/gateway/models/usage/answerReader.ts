import type { ModelDialect } from '../../../protocol/gateway/modelProviders/definition.ts';
import { EventReader } from './eventReader.ts';
import { type ModelUsage, memberOf, usageMember, usageReaders } from './modelUsage.ts';

/** Looks at an answer while it passes. */
export interface AnswerReader {
  /** @returns what goes on now; nothing where it has to wait for the rest of an event */
  chunk(bytes: Buffer): Uint8Array | undefined;
  /** @returns what was still held */
  end(): Uint8Array | undefined;
  /**
   * The tokens of the whole answer; `undefined` where it was cut before it counted them all.
   *
   * @param isWhole the answer came to its end
   */
  usage(isWhole: boolean): ModelUsage | undefined;
}

/** An answer that is longer is not kept to be read: its tokens stay unknown. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** @param removesUsage takes out the event that only the gateway asked for */
export function answerReader(dialect: ModelDialect, contentType: string, removesUsage: boolean): AnswerReader {
  return /^text\/event-stream\b/i.test(contentType)
    ? new EventReader(dialect, removesUsage, MAX_KEPT_BYTES)
    : new WholeReader(dialect);
}

/** An answer in one piece. */
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
    // A stream of Gemini that nobody asked events of is a list.
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
    return undefined; // it was cut
  }
}
