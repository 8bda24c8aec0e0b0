import { Buffer } from 'node:buffer';

/** One whole JSON-RPC message as it goes over the wire; its bytes are made once, for however many connections. */
export class WireText {
  readonly text: string;
  #bytes: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** UTF-8; read only. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text, 'utf8');
    return this.#bytes;
  }
}

/** A notification for many connections. Its text is made when the first one asks for it, and once. */
export class SharedNotification {
  readonly method: string;
  /** Read only: others hold it too. */
  readonly params: object;
  readonly #paramsText: string | undefined;
  #wire: WireText | undefined;

  /** @param paramsText of `params`, where it was made already, so that log and wire share one `stringify` */
  constructor(method: string, params: object, paramsText?: string) {
    this.method = method;
    this.params = params;
    this.#paramsText = paramsText;
  }

  /** As a message of our own protocol. */
  get wire(): WireText {
    this.#wire ??= new WireText(
      `{"jsonrpc":"2.0","method":${JSON.stringify(this.method)},"params":${this.#paramsText ?? JSON.stringify(this.params)}}`,
    );
    return this.#wire;
  }
}
