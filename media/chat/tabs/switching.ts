import type { ComposerElement } from '../composer.ts';
import type { Scroller } from '../scroller.ts';
import type { Transcript } from '../transcript.ts';

interface Left {
  /** The turn at the top edge and how far below that edge it began; absent: the end was followed. */
  readonly place?: { readonly turnId: string; readonly top: number };
  readonly draft: string;
}

/** Keeps what a person left in one chat while another one of the session is shown: the place of reading and the draft. */
export class Switching {
  readonly #parts: { readonly scroller: Scroller; readonly transcript: Transcript; readonly composer: ComposerElement };
  readonly #left = new Map<string, Left>();

  constructor(parts: { scroller: Scroller; transcript: Transcript; composer: ComposerElement }) {
    this.#parts = parts;
  }

  /** Before the rows of another chat are drawn. */
  leave(chat: string): void {
    const { scroller, transcript, composer } = this.#parts;
    const anchor = scroller.place();
    const turnId = anchor && transcript.idOf(anchor.element);
    composer.leaveEdit();
    composer.keepDraft(chat);
    this.#left.set(chat, {
      draft: composer.draft,
      ...(anchor && turnId !== undefined && { place: { turnId, top: anchor.top } }),
    });
  }

  /** After the rows of the chat were drawn. @param draft what the host keeps for it */
  enter(chat: string, draft: string): void {
    const { scroller, transcript, composer } = this.#parts;
    const left = this.#left.get(chat);
    composer.text = left?.draft ?? draft;
    const turn = left?.place && transcript.turn(left.place.turnId);
    if (turn && left?.place) {
      transcript.drawAll();
      scroller.keepAt(turn, left.place.top);
    } else {
      scroller.stick();
    }
  }
}
