import type { ChangesetState } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { ChatState, Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { ChannelView, Disposable } from '../../client/port.ts';
import type { TurnChangesModel } from '../contract/chatModel.ts';
import type { ChatPort } from './chatDeps.ts';
import { editedFiles, toTurnChanges, turnChangesetOf } from './turnChanges.ts';

/**
 * What the turns of a chat changed. Only the newest finished turn can be kept or undone from the chat, so only its
 * changeset is followed; earlier bars keep what they said last.
 */
export class LastTurnChanges implements Disposable {
  readonly #port: Pick<ChatPort, 'open'>;
  readonly #changed: () => void;
  #followed: { readonly turnId: string; readonly view: ChannelView<ChangesetState> } | undefined;
  /** By turn; `undefined` in it: nothing was changed. */
  readonly #known = new Map<string, TurnChangesModel | undefined>();

  constructor(port: Pick<ChatPort, 'open'>, changed: () => void) {
    this.#port = port;
    this.#changed = changed;
  }

  follow(session: SessionState | undefined, chat: ChatState | undefined): void {
    const turn = chat?.turns.at(-1);
    if (!turn || turn.id === this.#followed?.turnId) return;
    const uri = turnChangesetOf(session, turn.id);
    if (uri === undefined) return;
    this.dispose();
    const view = this.#port.open<ChangesetState>(uri);
    this.#followed = { turnId: turn.id, view };
    view.onDidChange(this.#changed);
  }

  of(turn: Turn): TurnChangesModel | undefined {
    const isFollowed = turn.id === this.#followed?.turnId;
    const state = isFollowed ? this.#followed?.view.shown : undefined;
    if (state) this.#known.set(turn.id, toTurnChanges(state));
    const known = this.#known.has(turn.id) ? this.#known.get(turn.id) : editedFiles(turn);
    if (isFollowed || !known) return known;
    return known.status === 'undone' ? undefined : { ...known, canKeep: false, canUndo: false, canRedo: false };
  }

  dispose(): void {
    this.#followed?.view.dispose();
    this.#followed = undefined;
  }
}
