import { html, nothing, type TemplateResult } from 'lit';
import type { CompletionModel } from '../../src/webviews/contract/chat.ts';
import type { ChatHead, ComposerModel } from '../../src/webviews/contract/chatModel.ts';
import { icon } from '../shared/icon.ts';
import { plural, t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';
import type { ChipsElement } from './attach/chips.ts';
import './attach/chips.ts';
import { takePaste } from './attach/intake.ts';
import { openAttachMenu } from './attach/menu.ts';
import { Completions } from './completions.ts';
import './usage.ts';
import './queue.ts';
import './pickers.ts';
import { post } from './post.ts';

type How = 'send' | 'queue' | 'steer';
const draftDelayMs = 400;
/** The first model usually arrives sooner. The composer is then drawn only once. */
const patienceMs = 100;

interface Editing {
  readonly turnId: string;
  /** What was being written before. Kept here, because the host's draft lags behind the field. */
  readonly kept: string;
}

/** Where a person writes. What is typed never waits for the transcript: the field is not drawn again while typing. */
export class ComposerElement extends LightElement {
  static override properties = {
    head: { attribute: false },
    isAskingUnsaved: { state: true },
    editing: { state: true },
  };
  declare head: ChatHead | undefined;
  declare isAskingUnsaved: How | undefined;
  /** The earlier message that stands in the field. */
  declare editing: Editing | undefined;
  #draftTimer: number | undefined;
  #completions: Completions | undefined;
  #isOverdue = false;

  get text(): string {
    return this.#field?.value ?? '';
  }
  set text(text: string) {
    if (!this.#field) return;
    this.#field.value = text;
    this.#grow();
    this.#markEmpty();
  }

  /** What is being written for the end of the chat. */
  get draft(): string {
    return this.editing?.kept ?? this.text;
  }

  override focus(): void {
    this.#field?.focus();
  }

  /** Puts an earlier message into the field, in place of what is being written. */
  edit(turnId: string, text: string): void {
    const field = this.#field;
    if (!field || field.disabled) return;
    const kept = this.draft;
    window.clearTimeout(this.#draftTimer);
    this.#completions?.close();
    this.editing = { turnId, kept };
    this.isAskingUnsaved = undefined;
    this.text = text;
    post(this, { type: 'draft', text: kept });
    post(this, { type: 'turn', turnId, what: 'edit' });
    field.setSelectionRange(text.length, text.length);
    field.focus();
  }

  /** Gives back what was being written. */
  leaveEdit(): void {
    const { editing } = this;
    if (!editing) return;
    this.#stopEditing();
    post(this, { type: 'turn', turnId: editing.turnId, what: 'leaveEdit' });
    this.focus();
  }

  #stopEditing(): void {
    const { draft } = this;
    this.editing = undefined;
    this.isAskingUnsaved = undefined;
    this.text = draft;
  }

  /** Another chat is about to be shown: what was typed goes to the host at once, for the chat that it was typed in. */
  keepDraft(chat: string): void {
    window.clearTimeout(this.#draftTimer);
    this.#completions?.close();
    this.isAskingUnsaved = undefined;
    post(this, { type: 'draft', text: this.draft, chat });
  }

  showCompletions(requestId: number, items: readonly CompletionModel[]): void {
    this.#completions?.show(requestId, items);
  }

  get #field(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  protected override shouldUpdate(): boolean {
    return this.head !== undefined || this.#isOverdue;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.setTimeout(() => {
      this.#isOverdue = true;
      this.requestUpdate();
    }, patienceMs);
  }

  protected override firstUpdated(): void {
    const field = this.#field!;
    this.#completions = new Completions(field, this.querySelector('.completions')!, (message) => post(this, message));
    this.#markEmpty();
    new ResizeObserver(() => this.#grow()).observe(this);
  }

  protected override render(): TemplateResult {
    const composer = this.head?.composer;
    const isBlocked = composer?.blocked !== undefined;
    return html`
      <chat-queue .queue=${this.head?.queue ?? []} .steering=${this.head?.steering}
        .isPaused=${this.head?.isPaused ?? false}></chat-queue>
      ${this.isAskingUnsaved && composer && composer.unsavedFiles > 0 ? this.#unsaved(composer, this.isAskingUnsaved) : nothing}
      ${this.editing ? this.#editBanner() : nothing}
      <div class="completions" role="listbox" id="completions" aria-label=${t('Suggestions')} hidden></div>
      <div class="composer ${isBlocked ? 'is-blocked' : ''}">
        <chat-chips .attachments=${composer?.attachments ?? []}></chat-chips>
        <textarea
          rows="1"
          aria-label=${t('Message')}
          aria-autocomplete="list"
          aria-controls="completions"
          placeholder=${this.#placeholder(composer)}
          ?disabled=${!composer || isBlocked}
          @input=${() => this.#typed()}
          @keydown=${(event: KeyboardEvent) => this.#key(event)}
          @paste=${(event: ClipboardEvent) => this.#pasted(event)}
          @blur=${() => this.#completions?.close()}
        ></textarea>
        <div class="composer-bar">
          <chat-pickers .pickers=${composer?.pickers ?? []} .hasOptions=${composer?.hasOptions ?? false}></chat-pickers>
          <div class="composer-actions"><chat-usage .usage=${this.head?.usage}></chat-usage> ${this.#attachButton(composer)} ${this.#sendButtons()}</div>
        </div>
      </div>
    `;
  }

  #placeholder(composer: ComposerModel | undefined): string {
    if (composer?.blocked === 'untrusted') return t('Trust this folder to send messages to agents');
    if (composer?.blocked === 'readOnly') return t('This chat is read-only');
    if (composer?.blocked) return t('Not available right now');
    return this.head?.turn ? t('Add a follow-up…') : t('Ask for a change, or type / for runbooks and @ for files');
  }

  #attachButton(composer: ComposerModel | undefined): TemplateResult {
    const open = (event: Event) =>
      composer &&
      openAttachMenu(event.currentTarget as HTMLElement, composer, (what) => post(this, { type: 'attach', what }));
    return html`<button type="button" class="icon-button codicon codicon-add" aria-label=${t('Attach')}
      title=${t('Attach files, images, problems, and more')} aria-haspopup="menu" aria-expanded="false"
      ?disabled=${composer === undefined || composer.blocked !== undefined} @click=${open}></button>`;
  }

  #editBanner(): TemplateResult {
    const words = this.head?.turn
      ? t('Editing an earlier message. Stop the running turn before you send it.')
      : t(
          'Editing an earlier message. Sending the new version deletes the old message, its answer, and everything after it from the chat. Files stay as they are.',
        );
    return html`<div class="banner is-editing" role="group" aria-label=${t('Editing an earlier message')}>
      ${icon('edit')}
      <div class="banner-words">${words}</div>
      <button type="button" class="button" @click=${() => this.leaveEdit()}>${t('Cancel')}</button>
    </div>`;
  }

  #sendButtons(): TemplateResult {
    const head = this.head;
    if (!head?.turn) {
      return html`<button type="button" class="send codicon codicon-arrow-up" data-needs-text aria-label=${t('Send')} title=${t('Send (Enter)')}
        @click=${() => this.#send('send')}></button>`;
    }
    const { canSteer } = head.composer;
    return html`
      ${
        canSteer
          ? html`<button type="button" class="icon-button codicon codicon-debug-step-into with-text" data-needs-text aria-label=${t('Steer')}
            title=${t('Steer now (Ctrl+Enter)')} @click=${() => this.#send('steer')}></button>`
          : nothing
      }
      <button type="button" class="icon-button codicon codicon-list-ordered with-text" data-needs-text aria-label=${t('Queue')}
        title=${t('Queue for the next turn (Enter)')} @click=${() => this.#send('queue')}></button>
      <button type="button" class="send is-stop codicon codicon-debug-stop" aria-label=${t('Stop')} title=${t('Stop (Escape)')}
        @click=${() => post(this, { type: 'stop' })}></button>
    `;
  }

  #unsaved({ unsavedFiles }: ComposerModel, how: How): TemplateResult {
    const choose = (unsaved: 'save' | 'ignore') => () => this.#send(how, unsaved);
    return html`<div class="banner" role="group" aria-label=${t('Unsaved files')}>
      ${icon('circle-filled')}
      <div class="banner-words">${plural(unsavedFiles, '{0} file is not saved. The agent sees the version on disk.', '{0} files are not saved. The agent sees the versions on disk.')}</div>
      <button type="button" class="button primary" @click=${choose('save')}>${t('Save and send')}</button>
      <button type="button" class="button quiet" @click=${choose('ignore')}>${t('Send anyway')}</button>
    </div>`;
  }

  protected override updated(): void {
    this.#grow();
    this.#markEmpty();
  }

  #send(how: How, unsaved: 'ask' | 'save' | 'ignore' = 'ask'): void {
    const text = this.text.trim();
    const composer = this.head?.composer;
    if (!text || !composer || composer.blocked || (this.editing && this.head?.turn)) return;
    this.#completions?.close();
    if (unsaved === 'ask' && composer.unsavedFiles > 0) {
      this.isAskingUnsaved = how;
      return;
    }
    this.isAskingUnsaved = undefined;
    window.clearTimeout(this.#draftTimer);
    const { editing } = this;
    if (editing) {
      this.#stopEditing();
      return post(this, { type: 'resend', turnId: editing.turnId, text, unsaved });
    }
    post(this, { type: 'send', text, how, unsaved });
    this.text = '';
  }

  #typed(): void {
    this.#grow();
    this.#markEmpty();
    this.#completions?.typed();
    window.clearTimeout(this.#draftTimer);
    this.#draftTimer = window.setTimeout(() => this.#postDraft(), draftDelayMs);
  }

  #postDraft(): void {
    const { chat } = this.head ?? {};
    post(this, { type: 'draft', text: this.draft, ...(chat !== undefined && { chat }) });
  }

  #pasted(event: ClipboardEvent): void {
    if (event.clipboardData && takePaste(event.clipboardData, (message) => post(this, message))) event.preventDefault();
  }

  /** Puts text where the cursor is, as if it was pasted. */
  insert(text: string): void {
    const field = this.#field;
    if (!field) return;
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
    field.focus();
    this.#typed();
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing || this.#completions?.key(event)) return;
    if (event.key === 'Backspace' && this.text === '' && this.querySelector<ChipsElement>('chat-chips')?.focusLast())
      return event.preventDefault();
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      const isRunning = this.head?.turn !== undefined;
      const wantsSteer = (event.ctrlKey || event.metaKey) && this.head?.composer.canSteer;
      this.#send(isRunning ? (wantsSteer ? 'steer' : 'queue') : 'send');
    }
    if (event.key !== 'Escape' || !(this.isAskingUnsaved || this.editing)) return;
    event.stopPropagation();
    if (this.isAskingUnsaved) this.isAskingUnsaved = undefined;
    else this.leaveEdit();
  }

  /** Makes the field as high as its text or placeholder. */
  #grow(): void {
    const field = this.#field;
    if (!field) return;
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight}px`;
  }

  #markEmpty(): void {
    const isHeld = this.editing !== undefined && this.head?.turn !== undefined;
    const cannot = this.text.trim() === '' || this.head?.composer.blocked !== undefined || isHeld;
    for (const button of this.querySelectorAll<HTMLButtonElement>('[data-needs-text]')) button.disabled = cannot;
  }
}
customElements.define('chat-composer', ComposerElement);
