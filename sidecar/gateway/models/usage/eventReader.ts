import type { ModelDialect } from '../../../protocol/gateway/modelProviders/definition.ts';
import type { AnswerReader } from './answerReader.ts';
import { type ModelUsage, memberOf, placeOf, usageMember, usageReaders } from './modelUsage.ts';

const blankLines = [Buffer.from('\n\n'), Buffer.from('\r\n\r\n')] as const;
/** The length of the longest blank line without its last byte. */
const SEAM = 3;

/**
 * Reads token counts from the events of a stream. Most chunks are whole events without counts. They are searched once, natively, and
 * are neither decoded nor kept.
 */
export class EventReader implements AnswerReader {
  readonly #dialect: ModelDialect;
  readonly #removesUsage: boolean;
  readonly #maxBytes: number;
  readonly #needle: Buffer;
  /** The beginning of an event that is not complete yet. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** An event had more than `maxBytes` and was not read. */
  #isLost = false;
  #usage: ModelUsage | undefined;
  /** `#usage` counts the whole response, even if nothing follows. */
  #isFinal = false;
  /** The last events with counts, for the dialect that counts in each event. Read only at the end. */
  #counting: Buffer | undefined;

  constructor(dialect: ModelDialect, removesUsage: boolean, maxBytes: number) {
    this.#dialect = dialect;
    this.#removesUsage = removesUsage;
    this.#maxBytes = maxBytes;
    this.#needle = Buffer.from(`"${usageMember(dialect)}"`);
  }

  chunk(bytes: Buffer): Uint8Array | undefined {
    if (this.#pendingBytes === 0 && endsEvent(bytes)) return this.#events(bytes);
    const last = this.#pending.at(-1);
    const seam = last ? Buffer.concat([last.subarray(-SEAM), bytes]) : bytes;
    const end = lastEnd(seam) - (seam.length - bytes.length);
    if (end <= 0) {
      this.#keep(bytes);
      return this.#removesUsage ? this.#tooLong() : bytes;
    }
    const whole = this.#take(bytes.subarray(0, end));
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    const passed = this.#events(whole);
    return this.#removesUsage ? passed : bytes;
  }

  end(): Uint8Array | undefined {
    const rest = this.#take(Buffer.alloc(0));
    if (rest.length === 0) return undefined;
    const passed = this.#events(rest);
    return this.#removesUsage ? passed : undefined;
  }

  usage(isWhole: boolean): ModelUsage | undefined {
    if (this.#counting) {
      for (const it of eventsOf(this.#counting)) this.#readGemini(dataOf(it));
      this.#counting = undefined;
    }
    // `message_start` does not count the output, so a message without a later count has no known cost.
    const isKnown = this.#isFinal || (isWhole && this.#dialect !== 'messages');
    return isKnown && !this.#isLost ? this.#usage : undefined;
  }

  /** @param bytes whole events. @returns the events to forward */
  #events(bytes: Buffer): Uint8Array | undefined {
    if (!this.#mayCount(bytes)) return bytes;
    if (this.#dialect === 'gemini') {
      this.#counting = bytes;
      return bytes;
    }
    let removed: Buffer[] | undefined;
    const events = eventsOf(bytes);
    for (const [at, event] of events.entries()) {
      const isAdded = this.#mayCount(event) && this.#read(dataOf(event)) && this.#removesUsage;
      if (isAdded) removed ??= events.slice(0, at);
      else removed?.push(event);
    }
    if (!removed) return bytes;
    return removed.length === 0 ? undefined : Buffer.concat(removed);
  }

  /** Whether the usage member has an object as its value. With `null`, nothing is counted. */
  #mayCount(bytes: Buffer): boolean {
    for (let at = bytes.indexOf(this.#needle); at >= 0; at = bytes.indexOf(this.#needle, at + 1)) {
      let next = at + this.#needle.length;
      while (bytes[next] === space || bytes[next] === colon) next += 1;
      if (bytes[next] === openObject) return true;
    }
    return false;
  }

  /** @returns whether the event contains only usage */
  #read(data: Buffer): boolean {
    switch (this.#dialect) {
      case 'chat': {
        const usage = usageReaders.chat(memberOf(data, 'usage'));
        if (!usage) return false;
        this.#usage = usage;
        const choices = placeOf(data, 'choices');
        const isAdded = choices !== undefined && /^\[\s*\]$/.test(data.toString('latin1', choices.from, choices.to));
        this.#isFinal ||= isAdded;
        return isAdded;
      }
      case 'responses': {
        if (!/^response\.(?:completed|incomplete|failed)$/.test(String(memberOf(data, 'type')))) return false;
        const response = placeOf(data, 'response');
        this.#isFinal = true;
        if (response) this.#usage = usageReaders.responses(memberOf(data, 'usage', response.from, response.to));
        return false;
      }
      case 'messages':
        this.#readMessages(data);
        return false;
      case 'gemini':
        this.#readGemini(data);
        return false;
    }
  }

  /** The first event counts the input. The last one counts the output, and sometimes both. */
  #readMessages(data: Buffer): void {
    const type = memberOf(data, 'type');
    if (type === 'message_start') {
      const message = placeOf(data, 'message');
      if (message) this.#usage = usageReaders.messages(memberOf(data, 'usage', message.from, message.to));
    } else if (type === 'message_delta') {
      this.#isFinal = true;
      const later = memberOf(data, 'usage');
      const counted = usageReaders.messages(later);
      const output = outputOf(later);
      if (counted) this.#usage = counted;
      else if (this.#usage && output !== undefined) this.#usage = { ...this.#usage, output };
    }
  }

  #readGemini(data: Buffer): void {
    this.#usage = usageReaders.gemini(memberOf(data, 'usageMetadata')) ?? this.#usage;
  }

  #keep(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes <= this.#maxBytes || this.#removesUsage) this.#pending.push(bytes);
    else {
      this.#isLost = true;
      // The last bytes are enough to recognize the end of the event.
      this.#pending = [bytes.subarray(-SEAM)];
    }
  }
  #take(end: Buffer): Buffer {
    const whole = this.#pending.length === 0 ? end : Buffer.concat([...this.#pending, end]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return whole;
  }
  /** Forwards an event that is too long unchanged. */
  #tooLong(): Buffer | undefined {
    if (this.#pendingBytes <= this.#maxBytes) return undefined;
    this.#isLost = true;
    return this.#take(Buffer.alloc(0));
  }
}

const [space, colon, openObject, lineFeed, carriageReturn] = [0x20, 0x3a, 0x7b, 0x0a, 0x0d];

function endsEvent(bytes: Buffer): boolean {
  const { length } = bytes;
  if (bytes[length - 1] !== lineFeed) return false;
  return bytes[length - 2] === lineFeed || (bytes[length - 2] === carriageReturn && bytes[length - 3] === lineFeed);
}

/** The position after the last complete event; 0 if there is none. */
const lastEnd = (bytes: Buffer): number =>
  Math.max(...blankLines.map((it) => (bytes.includes(it) ? bytes.lastIndexOf(it) + it.length : 0)));

function eventsOf(bytes: Buffer): Buffer[] {
  const events: Buffer[] = [];
  let from = 0;
  while (from < bytes.length) {
    const ends = blankLines.map((it) => {
      const at = bytes.indexOf(it, from);
      return at < 0 ? bytes.length : at + it.length;
    });
    const end = Math.min(...ends);
    events.push(bytes.subarray(from, end));
    from = end;
  }
  return events;
}

/** The values of its `data` lines, joined as the HTML standard defines for server-sent events. */
function dataOf(event: Buffer): Buffer {
  const found: Buffer[] = [];
  for (let from = 0; from < event.length; ) {
    const feed = event.indexOf(lineFeed, from);
    const end = feed < 0 ? event.length : feed;
    if (event.toString('latin1', from, from + 5) === 'data:') {
      const last = event[end - 1] === carriageReturn ? end - 1 : end;
      found.push(event.subarray(event[from + 5] === space ? from + 6 : from + 5, last));
    }
    from = end + 1;
  }
  return found.length === 1 ? (found[0] as Buffer) : Buffer.from(found.join('\n'));
}

function outputOf(usage: unknown): number | undefined {
  const output = typeof usage === 'object' && usage !== null && 'output_tokens' in usage && usage.output_tokens;
  return typeof output === 'number' && Number.isSafeInteger(output) ? output : undefined;
}
