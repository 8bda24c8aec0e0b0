import type {
  EditorAnswerPart,
  EditorModelError,
  EditorModelRequest,
} from '../../../sidecar/protocol/channels/root/editorModelCalls.ts';
import type { AskModel } from '../../../src/sidecar/editorModelCalls.ts';
import { EditorModelCalls } from '../../../src/sidecar/editorModelCalls.ts';

/** One answer of the model. `hangs`: after the parts, it says nothing until it is cancelled. */
export interface EditorAnswer {
  readonly parts?: readonly EditorAnswerPart[];
  readonly error?: EditorModelError;
  readonly hangs?: true;
}

/** A model of the editor with recorded answers, and the part of a window that calls it. */
export class EditorModelUnderTest {
  readonly heard: EditorModelRequest[] = [];
  /** How many calls were cancelled. */
  cancelled = 0;
  readonly calls: EditorModelCalls;
  readonly #answers: EditorAnswer[];

  constructor(answers: readonly EditorAnswer[]) {
    this.#answers = [...answers];
    this.calls = new EditorModelCalls(this.#ask);
  }

  /** Answers a request of the host, as a window does. */
  readonly answer = (params: unknown, signal: AbortSignal) =>
    this.calls.answer(params, {
      get isCancellationRequested() {
        return signal.aborted;
      },
      onCancellationRequested(listener) {
        signal.addEventListener('abort', listener);
        return { dispose: () => signal.removeEventListener('abort', listener) };
      },
    });

  readonly #ask: AskModel = async (request, onPart, signal) => {
    this.heard.push(request);
    const { parts = [], error, hangs } = this.#answers.shift() ?? {};
    for (const it of parts) onPart(it);
    if (hangs)
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
      });
    if (signal.aborted) this.cancelled += 1;
    return error;
  };
}
