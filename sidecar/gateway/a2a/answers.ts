import { A2aAnswer } from '../../protocol/gateway/a2aWire.ts';
import { isPlainAnswer } from '../wire/answer.ts';
import type { Binding } from './bindings.ts';

/** Why an agent's answer is none. In words for the log and the record; the caller reads others. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly code: 'timeout' | 'status' | 'garbage' | 'too_large' | 'caller_left';

  constructor(code: NoAnswer['code'], words: string, cause?: unknown) {
    super(words, { cause });
    this.code = code;
  }
}

/** The agent does not serve this address. */
export class NoEndpoint extends NoAnswer {}

/** The failure for an answer that is not a response of the binding. */
export function noResponse(status: number, { name }: Pick<Binding, 'name'>): NoAnswer {
  const words = `HTTP ${status} without ${name === 'JSONRPC' ? 'a JSON-RPC' : 'an A2A'} response`;
  if (status === 404 || status === 405) return new NoEndpoint('status', words);
  return new NoAnswer(status >= 400 ? 'status' : 'garbage', words);
}

/** The envelope, its result, and the task, message or update in that: what stands there decides whose an id is. */
const judgedDepth = 3;

/** An answer of an agent; `undefined` where a text is none, or one that readers understand differently. */
export function readAnswer(text: string): A2aAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // What passes is the value itself: zod puts members into another order.
    return A2aAnswer.safeParse(value).success && isPlainAnswer(text, value, judgedDepth)
      ? (value as A2aAnswer)
      : undefined;
  } catch {
    return undefined; // not JSON
  }
}
