import type { AttachKind, ChatFromPage, CompletionModel } from '../../src/webviews/contract/chat.ts';
import { t } from '../shared/l10n.ts';

const askDelayMs = 60;
/** A command at the start of the message, or an @ at the start of a word. */
const trigger = /(?:^\/[^\s/]*|(?:^|\s)@\S*)$/;

/** The list above the field that `/` and `@` open. The field keeps the focus; the list follows it. */
export class Completions {
  readonly #field: HTMLTextAreaElement;
  readonly #list: HTMLElement;
  readonly #post: (message: ChatFromPage) => void;
  #timer: number | undefined;
  #requestId = 0;
  #items: readonly CompletionModel[] = [];
  #at = 0;

  constructor(field: HTMLTextAreaElement, list: HTMLElement, post: (message: ChatFromPage) => void) {
    this.#field = field;
    this.#list = list;
    this.#post = post;
    list.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      const option = (event.target as HTMLElement).closest<HTMLElement>('[role=option]');
      if (option) this.#take(Number(option.dataset['index']));
    });
  }

  typed(): void {
    window.clearTimeout(this.#timer);
    const offset = this.#field.selectionStart;
    if (!trigger.test(this.#field.value.slice(0, offset))) return this.close();
    this.#requestId++;
    const message: ChatFromPage = { type: 'complete', requestId: this.#requestId, text: this.#field.value, offset };
    this.#timer = window.setTimeout(() => this.#post(message), askDelayMs);
  }

  show(requestId: number, items: readonly CompletionModel[]): void {
    if (requestId !== this.#requestId) return;
    if (items.length === 0) return this.close();
    this.#items = items;
    this.#at = 0;
    this.#list.replaceChildren(...items.map(optionElement));
    this.#list.hidden = false;
    this.#mark();
  }

  close(): void {
    window.clearTimeout(this.#timer);
    this.#requestId++;
    this.#items = [];
    this.#list.hidden = true;
    this.#field.removeAttribute('aria-activedescendant');
  }

  /** @returns true when the key was for the list */
  key(event: KeyboardEvent): boolean {
    if (this.#items.length === 0) return false;
    if (event.key === 'Enter' && this.#isTyped(this.#items[this.#at])) {
      this.close();
      return false; // nothing is left to complete: the key sends
    }
    if (event.key === 'ArrowDown') this.#at = (this.#at + 1) % this.#items.length;
    else if (event.key === 'ArrowUp') this.#at = (this.#at - 1 + this.#items.length) % this.#items.length;
    else if (event.key === 'Enter' || event.key === 'Tab') this.#take(this.#at);
    else if (event.key === 'Escape') this.close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    this.#mark();
    return true;
  }

  /** A command that stands there whole. A file is taken even then: it becomes an attachment. */
  #isTyped(item: CompletionModel | undefined): boolean {
    if (!item) return false;
    const typed = this.#field.value.slice(item.start, item.end);
    return typed.startsWith('/') && item.insertText.trim() === typed;
  }

  #take(index: number): void {
    const item = this.#items[index];
    if (!item) return;
    this.#post({ type: 'completed', requestId: this.#requestId, index });
    const space =
      item.attaches !== undefined || this.#field.value[item.end] === ' ' || item.insertText.endsWith(' ') ? '' : ' ';
    this.#field.setRangeText(item.insertText + space, item.start, item.end, 'end');
    this.close();
    this.#field.dispatchEvent(new Event('input', { bubbles: true }));
  }

  #mark(): void {
    for (const [index, option] of [...this.#list.children].entries()) {
      option.setAttribute('aria-selected', String(index === this.#at));
      if (index !== this.#at || this.#items.length === 0) continue;
      option.scrollIntoView({ block: 'nearest' });
      this.#field.setAttribute('aria-activedescendant', option.id);
    }
  }
}

function optionElement(item: CompletionModel, index: number): HTMLElement {
  const option = document.createElement('div');
  option.setAttribute('role', 'option');
  option.id = `completion-${index}`;
  option.dataset['index'] = String(index);
  const label = document.createElement('span');
  label.className = 'completion-label';
  label.textContent = item.label;
  const description = document.createElement('span');
  description.className = 'muted';
  description.textContent = item.description ?? (item.attaches === undefined ? '' : wordsOf(item.attaches));
  option.append(label, description);
  return option;
}

function wordsOf(kind: AttachKind): string {
  switch (kind) {
    case 'file':
      return t('Choose files');
    case 'folder':
      return t('Choose a folder');
    case 'image':
      return t('Choose images');
    case 'symbol':
      return t('Find a symbol in the workspace');
    case 'selection':
      return t('The text that is selected in the editor');
    case 'problems':
      return t('Errors and warnings that VS Code shows');
    case 'terminal':
      return t('The last command in a terminal and its output');
    case 'changes':
      return t('Uncommitted changes in a repository');
    case 'session':
      return t('The transcript of another session');
  }
}
