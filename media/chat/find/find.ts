import { html, nothing, type TemplateResult } from 'lit';
import type { ChatMatch } from '../../../src/webviews/contract/chat.ts';
import { t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';
import { post } from '../post.ts';

const typingMs = 200;

/** What the bar needs of the transcript. */
export interface FindPlace {
  /** Which of the places comes first from where a person reads. */
  nearest(places: readonly ChatMatch[]): number;
  /** Shows one place, and marks all that are on the page; nothing: no marks. */
  show(match: ChatMatch | undefined, places: readonly ChatMatch[], text: string): void;
}

/**
 * Finds words in the whole chat. The extension looks for them in all turns, so that those count which are not on the page; the
 * page goes from place to place.
 */
export class FindElement extends LightElement {
  static override properties = {
    isOpen: { state: true },
    places: { state: true },
    isMore: { state: true },
    at: { state: true },
  };
  declare isOpen: boolean | undefined;
  declare places: readonly ChatMatch[] | undefined;
  declare isMore: boolean | undefined;
  declare at: number | undefined;
  place: FindPlace | undefined;
  /** Gives the focus back to where a person writes. */
  leave: () => void = () => undefined;
  #timer: number | undefined;
  #asked = 0;
  #text = '';

  /** @param text what is selected, to be found at once */
  async open(text: string): Promise<void> {
    this.isOpen = true;
    await this.updateComplete;
    const field = this.#field;
    if (!field) return;
    if (text) field.value = text;
    field.focus();
    field.select();
    if (field.value) this.#ask();
  }

  close(): void {
    if (!this.isOpen) return;
    window.clearTimeout(this.#timer);
    this.#asked++;
    this.isOpen = false;
    this.places = undefined;
    this.at = undefined;
    this.place?.show(undefined, [], '');
    this.leave();
  }

  /** The extension's answer; one to an earlier question counts no more. */
  found(requestId: number, places: readonly ChatMatch[], isMore: boolean): void {
    if (!this.isOpen || requestId !== this.#asked) return;
    const before = this.at === undefined ? undefined : this.places?.[this.at];
    this.places = places;
    this.isMore = isMore;
    const same = places.findIndex((it) => it.rowId === before?.rowId && it.nth === before.nth);
    this.at = places.length === 0 ? undefined : same >= 0 ? same : (this.place?.nearest(places) ?? 0);
    this.#show();
  }

  /** Turns came or went: what was found before may be elsewhere now. */
  renew(): void {
    if (this.isOpen && this.#text) this.#ask();
  }

  get #field(): HTMLInputElement | null {
    return this.querySelector('input');
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.isOpen) return nothing;
    const count = this.places?.length ?? 0;
    return html`<div class="find-bar" role="search" aria-label=${t('Find in chat')}
      @keydown=${(event: KeyboardEvent) => this.#key(event)}>
      <input type="text" aria-label=${t('Find')} placeholder=${t('Find')} spellcheck="false" maxlength="1000"
        @input=${() => this.#typed()} />
      <span class="find-count" role="status">${this.#count()}</span>
      <button type="button" class="icon-button codicon codicon-arrow-up" aria-label=${t('Previous match')}
        title=${t('Previous match (Shift+Enter)')} ?disabled=${count === 0} @click=${() => this.step(-1)}></button>
      <button type="button" class="icon-button codicon codicon-arrow-down" aria-label=${t('Next match')}
        title=${t('Next match (Enter)')} ?disabled=${count === 0} @click=${() => this.step(1)}></button>
      <button type="button" class="icon-button codicon codicon-close" aria-label=${t('Close')}
        title=${t('Close (Escape)')} @click=${() => this.close()}></button>
    </div>`;
  }

  #count(): string {
    const { places, at, isMore } = this;
    if (!places) return '';
    if (places.length === 0) return t('No results');
    return t('{0} of {1}', (at ?? 0) + 1, `${places.length}${isMore ? '+' : ''}`);
  }

  #typed(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#ask(), typingMs);
  }

  #ask(): void {
    window.clearTimeout(this.#timer);
    this.#text = this.#field?.value ?? '';
    post(this, { type: 'find', requestId: ++this.#asked, text: this.#text });
  }

  step(by: 1 | -1): void {
    const count = this.places?.length ?? 0;
    if (this.#field && this.#field.value !== this.#text) return this.#ask();
    if (count === 0) return;
    this.at = ((this.at ?? 0) + by + count) % count;
    this.#show();
  }

  #show(): void {
    const { places = [], at } = this;
    this.place?.show(at === undefined ? undefined : places[at], places, this.#text);
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && event.target === this.#field) this.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
customElements.define('chat-find', FindElement);
