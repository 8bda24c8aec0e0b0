import {
  type EditorAnswerPart,
  type EditorModelAnswer,
  type EditorModelError,
  type EditorModelRequest,
  windowMethods,
} from '../../sidecar/protocol/channels/root/editorModelCalls.ts';
import type { CancelToken } from '../client/connection.ts';

/** The host asks again after that: so it learns that the window still works on the call. */
const LONGEST_WAIT_MS = 20_000;

const { params: Params } = windowMethods['x-switchboard/editorModelCall'];

/** Calls one model. `signal` aborts when nobody needs the answer. Never throws. */
export type AskModel = (
  request: EditorModelRequest,
  onPart: (part: EditorAnswerPart) => void,
  signal: AbortSignal,
) => Promise<EditorModelError | undefined>;

/** The host's calls to models of the editor. The host fetches each answer piece by piece. */
export class EditorModelCalls {
  readonly #ask: AskModel;
  readonly #calls = new Map<string, Call>();

  constructor(ask: AskModel) {
    this.#ask = ask;
  }

  /** Answers one request of the host. @throws {Error} if it is malformed */
  async answer(raw: unknown, token: CancelToken): Promise<EditorModelAnswer> {
    const { call: id, request } = Params.parse(raw);
    const call = request ? this.#begin(id, request) : this.#calls.get(id);
    if (!call) throw new Error('The call is not known in this window.');
    const stop = token.onCancellationRequested(() => this.#end(id));
    try {
      const answer = await call.next(LONGEST_WAIT_MS);
      if (answer.end) this.#end(id);
      return answer;
    } finally {
      stop.dispose();
    }
  }

  /** The host is gone. */
  cancelAll(): void {
    for (const id of [...this.#calls.keys()]) this.#end(id);
  }

  #begin(id: string, request: EditorModelRequest): Call {
    this.#end(id);
    const call = new Call((onPart, signal) => this.#ask(request, onPart, signal));
    this.#calls.set(id, call);
    return call;
  }

  #end(id: string): void {
    this.#calls.get(id)?.cancel();
    this.#calls.delete(id);
  }
}

class Call {
  readonly #cancel = new AbortController();
  #parts: EditorAnswerPart[] = [];
  #end: EditorModelAnswer['end'];
  #wake: () => void = () => undefined;

  constructor(ask: (onPart: (part: EditorAnswerPart) => void, signal: AbortSignal) => ReturnType<AskModel>) {
    const onPart = (part: EditorAnswerPart) => {
      this.#parts.push(part);
      this.#wake();
    };
    void ask(onPart, this.#cancel.signal).then((error) => {
      this.#end = { ...(error && { error }) };
      this.#wake();
    });
  }

  cancel(): void {
    this.#cancel.abort();
    this.#wake();
  }

  async next(longestMs: number): Promise<EditorModelAnswer> {
    if (this.#parts.length === 0 && !this.#end && !this.#cancel.signal.aborted) await this.#somethingArrives(longestMs);
    const parts = this.#parts;
    this.#parts = [];
    return { parts, ...(this.#end && { end: this.#end }) };
  }

  #somethingArrives(longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longestMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
