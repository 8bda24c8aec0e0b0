import type { RpcMessage } from '../../../protocol/gateway/mcpWire.ts';

/** The text of a message on its way to a client. It was read when it came, so all that is left to do with it is to write it. */
export class MessageText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  /** For whoever writes it on. */
  toString(): string {
    return this.#text;
  }
}

/** One event of a stream, with the message that it carries: read once, at the connection that it came over. */
export interface StreamEvent {
  readonly id?: string;
  readonly retryMs?: number;
  /** `undefined` where there is no text, and where it is no message that every reader understands alike. */
  readonly message: RpcMessage | undefined;
  readonly data: MessageText;
}

/** @param text the message as it came; absent: it is written here */
export const eventOf = (message: RpcMessage, text = JSON.stringify(message.message)): StreamEvent => ({
  message,
  data: new MessageText(text),
});
