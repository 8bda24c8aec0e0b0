import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { SessionsInput } from './nodes.ts';

/** What rows are made from, read once a change. Reading copies all sessions, which is too much to do for each row. */
export class ReadOnce {
  readonly #read: () => SessionsInput;
  #input: SessionsInput | undefined;
  #byUri: ReadonlyMap<string, SessionSummary> | undefined;

  constructor(read: () => SessionsInput) {
    this.#read = read;
  }

  get input(): SessionsInput {
    this.#input ??= this.#read();
    return this.#input;
  }

  session(uri: string): SessionSummary | undefined {
    this.#byUri ??= new Map(this.input.sessions.map((it) => [it.resource, it]));
    return this.#byUri.get(uri);
  }

  /** The next look reads anew. */
  forget(): void {
    this.#input = undefined;
    this.#byUri = undefined;
  }
}
