import { html, nothing } from 'lit';
import type { ErrorRow } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { fromHost, t } from '../../shared/l10n.ts';
import { post } from '../post.ts';
import { linked } from './linked.ts';
import { RowElement } from './row.ts';

/** A turn that failed or stopped: what happened, the button that helps, and the log of a failure. A step can also be skipped. */
export class ErrorElement extends RowElement<ErrorRow> {
  protected override render() {
    const { row } = this;
    const retry = () => post(this, { type: 'retry', turnId: row.turnId });
    const skip = () => post(this, { type: 'skip', turnId: row.turnId });
    const showLog = () => post(this, { type: 'showLog' });
    return html`<div
      class="banner ${row.isStopped ? '' : 'is-error'}"
      role="group"
      aria-label=${row.isStopped ? t('Stopped') : t('The turn failed')}
    >
      ${icon(row.isStopped ? 'circle-slash' : 'error')}
      <div class="banner-words">${linked(fromHost(row.message))}</div>
      ${
        row.action === 'none'
          ? nothing
          : html`<button type="button" class="button" @click=${retry}>
                ${buttonOf(row.action)}
              </button>
              ${row.action === 'step' ? html`<button type="button" class="button" @click=${skip}>${t('Skip step')}</button>` : nothing}
              ${row.isStopped ? nothing : html`<button type="button" class="link" @click=${showLog}>${t('Show log')}</button>`}`
      }
    </div>`;
  }
}

function buttonOf(action: Exclude<ErrorRow['action'], 'none'>): string {
  switch (action) {
    case 'signIn':
      return t('Sign in');
    case 'configureAgents':
      return t('Open settings');
    case 'addAgent':
      return t('Add agent…');
    case 'folder':
      return t('Choose another folder');
    case 'trust':
      return t('Trust this folder to run agents');
    case 'step':
      return t('Retry step');
    case 'retry':
      return t('Try again');
  }
}
