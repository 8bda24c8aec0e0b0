import type { ChatAction } from '../../../../sidecar/protocol/channels/chat/actions.ts';
import { type Message, MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import type { KeptAttachment } from '../chatModel.ts';

/** The chat that a page shows. */
interface ComposedChat {
  readonly deps: {
    readonly newId: () => string;
    readonly port: { dispatch(channel: string, action: ChatAction): void };
  };
  readonly session: { readonly chats: readonly { readonly resource: string }[] } | undefined;
  /** What the host keeps of it. */
  readonly chat: { readonly draft?: Message } | undefined;
  readonly chatUri: string | undefined;
  changed(): void;
}

/** What is being written in one page, what goes with it, and how much of both the host has. */
export class Composed {
  readonly #of: ComposedChat;
  #attachments: readonly KeptAttachment[];
  #text = '';
  #saved: readonly KeptAttachment[] | undefined;
  #isTaken = false;
  #uri: string | undefined;
  /** What was attached in the other chats of the session when the page left them. */
  readonly #left = new Map<string, readonly KeptAttachment[]>();
  /** The next message's own attachments while the composer edits an earlier prompt. */
  #aside: readonly KeptAttachment[] | undefined;

  /** @param saved what a page kept over a reload: what is no attachment counts as nothing */
  constructor(of: ComposedChat, saved: readonly unknown[]) {
    this.#of = of;
    const parsed = saved.map((it) => MessageAttachment.safeParse(it));
    this.#attachments = this.#kept(parsed.flatMap((it) => (it.success ? [it.data] : [])));
  }

  /** What goes with the next message. */
  get attachments(): readonly KeptAttachment[] {
    return this.#attachments;
  }
  set attachments(attachments: readonly KeptAttachment[]) {
    this.#attachments = attachments;
    this.save();
    this.#of.changed();
  }
  /** One with an id that is there already takes its place. */
  attach(added: readonly KeptAttachment[]): void {
    const all = new Map(this.#attachments.map((it) => [it.id, it]));
    for (const it of added) all.set(it.id, it);
    this.attachments = [...all.values()];
  }
  detach(id: string): void {
    this.attachments = this.#attachments.filter((it) => it.id !== id);
  }
  /** It went with a message. */
  sent(): void {
    this.#attachments = [];
    this.#of.changed();
  }
  /** Another prompt is edited meanwhile. */
  setAside(attached: readonly MessageAttachment[]): void {
    this.#aside ??= this.#attachments;
    this.attachments = this.#kept(attached);
  }
  takeBack(): void {
    const before = this.#aside;
    if (!before) return;
    this.#aside = undefined;
    this.attachments = before;
  }

  /**
   * Keeps it in the host, once there is a session.
   * @param text absent: as it was
   * @param uri of the chat that it was written for; absent: the one that is shown
   */
  save(text = this.#text, uri = this.#of.chatUri): void {
    if (uri !== this.#of.chatUri) return this.#saveLeft(text, uri);
    this.#text = text;
    const kept = this.#of.chat?.draft;
    const own = this.#aside ?? this.#attachments;
    const isSaved = this.#saved === undefined ? own.length === 0 : this.#saved === own;
    if (uri === undefined || ((kept?.text ?? '') === text && isSaved)) return;
    this.#saved = own;
    this.#of.deps.port.dispatch(uri, toDraft(text, own));
  }
  /** Text that was on its way while the page went on to another chat. One that was closed meanwhile takes none. */
  #saveLeft(text: string, uri: string | undefined): void {
    if (uri === undefined || !this.#of.session?.chats.some((it) => it.resource === uri)) return;
    const attached = this.#left.get(uri);
    if (attached) this.#of.deps.port.dispatch(uri, toDraft(text, attached));
  }
  /** The page shows another chat of the session. @param attached as it was left, if it was shown before */
  enter(attached: readonly KeptAttachment[]): void {
    if (this.#uri !== undefined) this.#left.set(this.#uri, this.#aside ?? this.#attachments);
    this.#aside = undefined;
    this.#attachments = attached;
    this.#text = '';
    this.moved();
  }
  /** The chat is there: what the host kept of it stands in the composer. */
  take(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#uri = this.#of.chatUri;
    const kept = this.#of.chat?.draft;
    this.#text ||= kept?.text ?? '';
    if (!kept?.attachments || this.#attachments.length > 0) return;
    this.#attachments = this.#kept(kept.attachments);
    this.#saved = this.#attachments;
  }
  /** It belongs to another session from now on. */
  moved(): void {
    this.#isTaken = false;
    this.#saved = undefined;
  }

  #kept(them: readonly MessageAttachment[]): readonly KeptAttachment[] {
    return them.map((attachment) => ({ id: this.#of.deps.newId(), attachment }));
  }
}

function toDraft(text: string, attached: readonly KeptAttachment[]): ChatAction {
  if (text === '' && attached.length === 0) return { type: 'chat/draftChanged' };
  const attachments = attached.map((it) => it.attachment);
  const draft = { text, origin: { kind: 'user' }, ...(attachments.length > 0 && { attachments }) } as const;
  return { type: 'chat/draftChanged', draft };
}
