import * as vscode from 'vscode';
import type { Turn } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { ChatTurnsDeps, Resend } from './chatTurnsModule.ts';

/**
 * A prompt of an earlier turn in the composer. The page keeps the text, and this the attachments: those of the prompt stand
 * there meanwhile, and what was attached before comes back afterwards.
 */
export class EditedPrompt {
  readonly #deps: ChatTurnsDeps;
  #turnId: string | undefined;

  constructor(deps: ChatTurnsDeps) {
    this.#deps = deps;
  }

  begin(turnId: string): void {
    const { chat } = this.#deps;
    const turn = chat.chat?.turns.find((it) => it.id === turnId);
    if (!turn || this.#turnId === turnId) return;
    this.#turnId = turnId;
    chat.composed.setAside(turn.message.attachments ?? []);
  }

  leave(): void {
    if (this.#turnId === undefined) return;
    this.#turnId = undefined;
    this.#deps.chat.composed.takeBack();
  }

  /** Cuts the chat off before the turn, and sends the prompt as it is now. */
  async send({ turnId, text, unsaved }: Resend): Promise<void> {
    const { chat, saveAll, send, post } = this.#deps;
    this.begin(turnId); // the page may have kept it over a reload
    if (unsaved === 'ask' && chat.deps.editor().unsavedFiles > 0)
      return post({ type: 'compose', text, focus: true, editing: turnId, heldFor: 'send' });
    const isSaved = unsaved !== 'save' || (await saveAll());
    const before = isSaved ? await this.#turnBefore(turnId) : vscode.l10n.t('Not every file could be saved.');
    const uri = chat.chatUri;
    if (typeof before === 'string' || uri === undefined) return this.#giveBack(turnId, text, before);
    chat.deps.port.dispatch(uri, { type: 'chat/truncated', ...(before.turn && { turnId: before.turn.id }) });
    if (await send(text)) this.leave();
    else this.#giveBack(turnId, text, undefined);
  }

  /** @returns why there is none, for a person; no turn in it: the turn is the first */
  async #turnBefore(turnId: string): Promise<string | { readonly turn: Turn | undefined }> {
    const { chat } = this.#deps;
    if (chat.chat?.activeTurn) return vscode.l10n.t('Stop the running turn first.');
    const cursor = chat.chat?.turnsNextCursor;
    // Without the turn before it nothing would say where to cut, and everything would go.
    if (chat.chatUri !== undefined && cursor !== undefined && chat.chat?.turns[0]?.id === turnId)
      await chat.deps.port.request('fetchTurns', { channel: chat.chatUri, cursor });
    const { turns = [], turnsNextCursor } = chat.chat ?? {};
    const at = turns.findIndex((it) => it.id === turnId);
    if (at < 0) return vscode.l10n.t('The edited message is no longer part of this chat.');
    if (at === 0 && turnsNextCursor !== undefined) return vscode.l10n.t('Earlier turns are still loading. Try again.');
    return { turn: turns[at - 1] };
  }

  #giveBack(turnId: string, text: string, why: string | object | undefined): void {
    const { chat, post } = this.#deps;
    if (typeof why === 'string') chat.addBanner({ id: 'refused', kind: 'refused', detail: why, canDismiss: true });
    post({ type: 'compose', text, focus: true, editing: turnId });
  }
}
