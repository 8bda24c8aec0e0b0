import { html, nothing, type TemplateResult } from 'lit';
import type { QueuedMessage } from '../../src/webviews/contract/chatModel.ts';
import { icon } from '../shared/icon.ts';
import { t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';
import { post } from './post.ts';

/** Messages that wait for the running turn to end. */
class QueueElement extends LightElement {
  static override properties = { queue: { attribute: false }, steering: { attribute: false } };
  declare queue: readonly QueuedMessage[];
  declare steering: QueuedMessage | undefined;

  protected override render(): TemplateResult | typeof nothing {
    if (this.queue.length === 0 && !this.steering) return nothing;
    return html`<ol class="queue" aria-label=${t('Queued messages')}>
      ${
        this.steering
          ? html`<li>${icon('debug-step-into')}<span class="queue-text">${this.steering.text}</span>
        <span class="muted">${t('steering')}</span>${this.#remove(this.steering)}</li>`
          : nothing
      }
      ${this.queue.map(
        (it, index) => html`<li>
          ${icon('list-ordered')}<span class="queue-text">${it.text}</span>
          ${this.#move(index, -1, 'arrow-up', t('Move up'))} ${this.#move(index, 1, 'arrow-down', t('Move down'))}
          ${this.#remove(it)}
        </li>`,
      )}
    </ol>`;
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

  #remove(message: QueuedMessage): TemplateResult {
    return html`<button type="button" class="icon-button codicon codicon-close" aria-label=${t('Remove')} title=${t('Remove')}
      @click=${() => post(this, { type: 'unqueue', messageId: message.id })}></button>`;
  }
}
customElements.define('chat-queue', QueueElement);
