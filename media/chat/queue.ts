import { html, nothing, type TemplateResult } from 'lit';
import type { QueuedMessage } from '../../src/webviews/contract/chatModel.ts';
import { icon } from '../shared/icon.ts';
import { t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';
import { post } from './post.ts';

/** Messages that wait for the running turn to end, or after a stopped one until they are sent. */
class QueueElement extends LightElement {
  static override properties = { queue: { attribute: false }, steering: { attribute: false }, isPaused: {} };
  declare queue: readonly QueuedMessage[];
  declare steering: QueuedMessage | undefined;
  declare isPaused: boolean;

  protected override render(): TemplateResult | typeof nothing {
    if (this.queue.length === 0 && !this.steering) return nothing;
    const first = this.steering ?? this.queue[0];
    return html`<ol class="queue" aria-label=${t('Queued messages')}>
      ${this.isPaused && first ? this.#paused(first) : nothing}
      ${
        this.steering
          ? html`<li>${icon('debug-step-into')}<span class="queue-text">${this.steering.text}</span>
        <span class="muted">${t('steering')}</span>${this.#edit(this.steering)} ${this.#remove(this.steering)}</li>`
          : nothing
      }
      ${this.queue.map(
        (it, index) => html`<li>
          ${icon('list-ordered')}<span class="queue-text">${it.text}</span>
          ${this.#move(index, -1, 'arrow-up', t('Move up'))} ${this.#move(index, 1, 'arrow-down', t('Move down'))}
          ${this.#edit(it)} ${this.#remove(it)}
        </li>`,
      )}
    </ol>`;
  }

  #paused(first: QueuedMessage): TemplateResult {
    return html`<li>${icon('debug-pause')}<span class="queue-text" role="status">${t('Paused')}</span>
      <button type="button" class="link" title=${t('Send the first queued message. The others follow.')}
        @click=${() => post(this, { type: 'sendQueued', messageId: first.id })}>${t('Send now')}</button></li>`;
  }

  #move(index: number, by: 1 | -1, name: string, label: string): TemplateResult | typeof nothing {
    const other = index + by;
    if (other < 0 || other >= this.queue.length) return nothing;
    const move = () => {
      const order = this.queue.map((it) => it.id);
      [order[index], order[other]] = [order[other]!, order[index]!];
      post(this, { type: 'reorder', order });
    };
    return html`<button type="button" class="icon-button codicon codicon-${name}" aria-label=${label} title=${label} @click=${move}></button>`;
  }

  #edit(message: QueuedMessage): TemplateResult {
    return html`<button type="button" class="icon-button codicon codicon-edit" aria-label=${t('Edit')} title=${t('Edit')}
      @click=${() => post(this, { type: 'editQueued', messageId: message.id })}></button>`;
  }

  #remove(message: QueuedMessage): TemplateResult {
    return html`<button type="button" class="icon-button codicon codicon-close" aria-label=${t('Remove')} title=${t('Remove')}
      @click=${() => post(this, { type: 'unqueue', messageId: message.id })}></button>`;
  }
}
customElements.define('chat-queue', QueueElement);
