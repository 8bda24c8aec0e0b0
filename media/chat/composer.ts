import { html, nothing, type TemplateResult } from 'lit';
import type { CompletionModel } from '../../src/webviews/contract/chat.ts';
import type { ChatHead, ComposerModel, Picker, PickerChoice } from '../../src/webviews/contract/chatModel.ts';
import { icon } from '../shared/icon.ts';
import { fromHost, plural, t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';
import { openMenu } from '../shared/menu.ts';
import { Completions } from './completions.ts';
import './usage.ts';
import './queue.ts';
import { post } from './post.ts';

type How = 'send' | 'queue' | 'steer';
const draftDelayMs = 400;

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

  protected override firstUpdated(): void {
    const field = this.#field!;
    this.#completions = new Completions(field, this.querySelector('.completions')!, (message) => post(this, message));
    this.#markEmpty();
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
        ${composer ? this.#attachments(composer) : nothing}
        <textarea
          rows="1"
          aria-label=${t('Message')}
          aria-autocomplete="list"
          aria-controls="completions"
          placeholder=${this.#placeholder(composer)}
          ?disabled=${!composer || isBlocked}
          @input=${() => this.#typed()}
          @keydown=${(event: KeyboardEvent) => this.#key(event)}
          @blur=${() => this.#completions?.close()}
        ></textarea>
        <div class="composer-bar">
          <div class="pickers">${composer?.pickers.map((it) => this.#picker(it))}${composer?.hasOptions ? this.#options() : nothing}</div>
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

  #attachments(composer: ComposerModel): TemplateResult | typeof nothing {
    if (composer.attachments.length === 0) return nothing;
    return html`<ul class="chips" aria-label=${t('Attached')}>
      ${composer.attachments.map(
        (it) => html`<li class="chip">
          ${icon(it.kind === 'selection' ? 'selection' : it.kind === 'transcript' ? 'history' : 'file')}<span>${it.label}</span>
          <button type="button" class="icon-button codicon codicon-close" aria-label=${t('Remove {0}', it.label)}
            @click=${() => post(this, { type: 'detach', attachmentId: it.id })}></button>
        </li>`,
      )}
    </ul>`;
  }

  #picker(picker: Picker): TemplateResult {
    const title = fromHost(t(picker.title));
    const choices = picker.isOwn ? picker.choices.map(inOwnWords) : picker.choices;
    const chosen = choices.find((it) => it.id === picker.value);
    const label = picker.doubt === 'agentDecides' ? t('Agent decides') : (chosen?.label ?? title);
    const marked = chosen?.agentDecides === true || picker.doubt !== undefined;
    const open = (event: Event) =>
      openMenu(
        event.currentTarget as HTMLElement,
        title,
        choices.map((it) => ({
          id: it.id,
          label: it.adds ? t('Add Agent…') : it.label,
          ...(it.adds ? { icon: 'add' } : { isChecked: it.id === picker.value }),
          ...(it.locked && { isLocked: true }),
          ...(it.agentDecides
            ? { description: [t('Agent decides'), it.description].filter(Boolean).join(' · ') }
            : describe(it)),
          ...(it.agentDecides && it.id !== picker.value && { confirm: t('Click again to let it act without asking') }),
        })),
        (choice) => post(this, { type: 'choose', picker: picker.id, choice }),
      );
    return html`<button
      type="button"
      class="picker ${marked ? 'agent-decides' : ''}"
      aria-haspopup="menu"
      aria-expanded="false"
      aria-label="${title}: ${label}${chosen?.agentDecides ? `, ${t('agent decides')}` : ''}${picker.doubt === 'ranUnasked' ? `, ${t('not always asked')}` : ''}"
      title=${doubtWords(picker) ?? chosen?.description ?? title}
      ?disabled=${!picker.enabled}
      @click=${open}
    >
      ${marked ? icon('warning') : nothing}
      <span class="picker-label">${picker.isOwn ? `${title}: ${label}` : label}</span>${picker.doubt === 'ranUnasked' ? html`<span class="picker-mark">${t('not always asked')}</span>` : nothing}${chosen?.agentDecides ? html`<span class="picker-mark">${t('agent decides')}</span>` : nothing}
      ${picker.enabled ? icon('chevron-down') : nothing}
    </button>`;
  }

  #options(): TemplateResult {
    return html`<button type="button" class="picker" @click=${() => post(this, { type: 'options' })}>
      ${icon('settings')}<span class="picker-label">${t('Options…')}</span>
    </button>`;
  }

  #attachButton(composer: ComposerModel | undefined): TemplateResult {
    const open = (event: Event) => {
      if (!composer?.hasSelection) return post(this, { type: 'attach', what: 'file' });
      openMenu(
        event.currentTarget as HTMLElement,
        t('Attach'),
        [
          { id: 'file', label: t('File…'), icon: 'file' },
          { id: 'selection', label: t('Editor selection'), icon: 'selection' },
        ],
        (what) => post(this, { type: 'attach', what: what === 'selection' ? 'selection' : 'file' }),
      );
    };
    return html`<button type="button" class="icon-button codicon codicon-attach" aria-label=${t('Attach')} title=${t('Attach')}
      ?disabled=${composer === undefined || composer.blocked !== undefined} @click=${open}></button>`;
  }

  #editBanner(): TemplateResult {
    const words = this.head?.turn
      ? t('Editing an earlier message. Stop the running turn before you send it.')
      : t(
          'Editing an earlier message. Sending it deletes that message, its answer, and everything after it from the chat. Files stay as they are.',
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

  #key(event: KeyboardEvent): void {
    if (event.isComposing || this.#completions?.key(event)) return;
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
/** What a choice says under its name: why it cannot be chosen, or what it is. */
function describe({ locked, description }: PickerChoice): { readonly description?: string } {
  if (locked) return { description: locked === 'notEnabled' ? t('Not enabled') : t('Not allowed here') };
  return description ? { description } : {};
}

/** The choices of the dial, in the language of the page. */
function inOwnWords(choice: PickerChoice): PickerChoice {
  switch (choice.id) {
    case 'ask':
      return {
        ...choice,
        label: t('Ask'),
        description: t('Asks before changes, commands, and tools, unless a rule allows them.'),
      };
    case 'acceptEdits':
      return {
        ...choice,
        label: t('Accept edits'),
        description: t("Edits files in this session's folders without asking. Asks before everything else."),
      };
    case 'readOnly':
      return {
        ...choice,
        label: t('Read only'),
        description: t('Denies changes and commands. Asks before other tools.'),
      };
    default:
      return choice;
  }
}

/** Why what was chosen does not hold, or not for everything. */
function doubtWords({ doubt }: Picker): string | undefined {
  if (doubt === 'agentDecides')
    return t('In its current mode, the agent decides for itself. Switchboard cannot enforce these permissions.');
  if (doubt === 'ranUnasked')
    return t('This agent ran a tool without asking. Switchboard cannot enforce these permissions.');
  return undefined;
}

customElements.define('chat-composer', ComposerElement);
