import type { RestoreState } from '../../contract/chatModel.ts';
import type { KeptAttachment } from '../chatModel.ts';

/** What belongs to one chat of a session and no other, and is known in this window alone. */
export interface ChatChoices {
  readonly attachments: readonly KeptAttachment[];
  readonly shownTurns: number;
  readonly chosen: RestoreState;
}

/** The chats of a session that were shown before the one that is shown now: each comes back as it was left. */
export class LeftChats {
  readonly #left = new Map<string, ChatChoices>();
  #entered: string | undefined;

  /** @returns what holds in the chat that is shown now; nothing where that is the one from before, or the first of all */
  enter(uri: string, now: ChatChoices, fresh: Omit<ChatChoices, 'chosen'>): ChatChoices | undefined {
    const from = this.#entered;
    if (from === uri) return undefined;
    this.#entered = uri;
    if (from === undefined) return undefined;
    this.#left.set(from, now);
    const { model: _model, modelConfig: _options, customAgent: _agent, ...ofSession } = now.chosen;
    const { model, modelConfig, customAgent } = this.#left.get(uri)?.chosen ?? {};
    const chosen = {
      ...ofSession,
      ...(model !== undefined && { model }),
      ...(modelConfig && { modelConfig }),
      ...(customAgent !== undefined && { customAgent }),
    };
    return { ...(this.#left.get(uri) ?? fresh), chosen };
  }

  dispose(): void {
    this.#left.clear();
    this.#entered = undefined;
  }
}
