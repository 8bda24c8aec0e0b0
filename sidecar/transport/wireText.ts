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
    this.#wire ??= this.#wireWith(this.#paramsText ?? JSON.stringify(this.params));
    return this.#wire;
  }

  /** As a message of the public protocol, whose params are `shown`. If only the channel differs, the text that was made is reused. */
  wireOf(shown: object): WireText {
    return this.#wireWith(this.#withChannelOf(shown) ?? JSON.stringify(shown));
  }

  #wireWith(paramsText: string): WireText {
    return new WireText(`{"jsonrpc":"2.0","method":${JSON.stringify(this.method)},"params":${paramsText}}`);
  }

  #withChannelOf(shown: object): string | undefined {
    const text = this.#paramsText;
    if (text === undefined || !isSameButChannel(this.params, shown)) return undefined;
    const before = channelText(this.params);
    return text.startsWith(before) ? channelText(shown) + text.slice(before.length) : undefined;
  }
}

/** The start of the text of params, if the channel is their first member. */
function channelText(params: { readonly channel?: unknown }): string {
  return `{"channel":${JSON.stringify(params.channel)}`;
}

/** Whether the two have the same members in the same order, and the same values in all but the channel. */
function isSameButChannel(one: object, other: object): boolean {
  const [members, others] = [Object.entries(one), Object.entries(other)];
  if (members.length !== others.length) return false;
  return members.every(([key, value], at) => {
    const [otherKey, otherValue] = others[at]!;
    return key === otherKey && (key === 'channel' || value === otherValue);
  });
}
