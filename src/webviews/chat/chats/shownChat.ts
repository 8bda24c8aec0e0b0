import type { ChatState } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import { channelOf } from '../../../../sidecar/protocol/channels/index.ts';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import type { ChannelView, Disposable } from '../../../client/port.ts';
import type { ChatPort } from '../chatDeps.ts';

interface Followed {
  readonly uri: string;
  readonly view: ChannelView<ChatState>;
}

/** Which chat of its session a page shows. Another one takes its place once the host sent it, so that nothing blinks. */
export class ShownChat implements Disposable {
  readonly #port: Pick<ChatPort, 'open'>;
  readonly #turns: number;
  readonly #changed: () => void;
  #shown: Followed | undefined;
  #next: Followed | undefined;
  /** A chat that is likely to be shown, which is requested before its session says so. */
  #likely: ChannelView<ChatState> | undefined;

  /** @param turns how many of the newest turns a chat begins with */
  constructor(port: Pick<ChatPort, 'open'>, turns: number, changed: () => void) {
    this.#port = port;
    this.#turns = turns;
    this.#changed = changed;
  }

  get uri(): string | undefined {
    return this.#shown?.uri;
  }
  get state(): ChatState | undefined {
    return this.#shown?.view.shown;
  }

  /**
   * Requests a chat together with its session, so that it need not wait for the session.
   * @param uri may come from a saved page, so it can be any text; absent if no chat is likely to be shown any more
   */
  expect(uri?: string): void {
    this.#likely?.dispose();
    const isChat = uri !== undefined && channelOf(uri)?.kind === 'chat';
    this.#likely = isChat ? this.#port.open<ChatState>(uri, { turns: this.#turns }) : undefined;
  }

  /** @param uri the chat that the session names; absent if it has none */
  follow(uri: string | undefined): void {
    // The host may not have had the likely chat yet when it refused it, and a channel is not requested anew for another holder.
    if (this.#likely?.isRefused) this.expect();
    if (uri !== undefined) this.#follow(uri);
    this.expect();
  }

  #follow(uri: string): void {
    if (uri === (this.#next ?? this.#shown)?.uri) return;
    this.#next?.view.dispose();
    this.#next = undefined;
    if (uri === this.#shown?.uri) return;
    const view = this.#port.open<ChatState>(uri, { turns: this.#turns });
    this.#next = { uri, view };
    view.onDidChange(() => {
      this.#settle();
      this.#changed();
    });
    this.#settle();
  }

  dispose(): void {
    for (const it of [this.#shown, this.#next]) it?.view.dispose();
    this.expect();
    this.#shown = undefined;
    this.#next = undefined;
  }

  #settle(): void {
    const next = this.#next;
    if (!next || (this.#shown && !next.view.shown)) return;
    this.#shown?.view.dispose();
    this.#shown = next;
    this.#next = undefined;
  }
}

/** @param chosen what a person chose; a chat that is gone or that nobody may see gives way to the first one */
export function chatToShow({ chats, defaultChat }: SessionState, chosen: string | undefined): string | undefined {
  const known = chats.find((it) => it.resource === chosen && it.interactivity !== 'hidden');
  return known?.resource ?? defaultChat ?? chats[0]?.resource;
}
