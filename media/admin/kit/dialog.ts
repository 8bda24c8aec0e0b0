import { html, render, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import { wordsOf } from './loader.ts';
import { failure } from './notice.ts';

export interface OpenDialog {
  /** Draws the dialog again, as its content changed. */
  draw(): void;
  close(): void;
}
export interface DialogSpec {
  readonly title: string;
  /** `side`: a drawer at the edge, for details and long forms. */
  readonly shape?: 'middle' | 'side';
  readonly body: (dialog: OpenDialog) => TemplateResult;
  readonly onClose?: () => void;
}

/** A modal dialog. The browser keeps the focus inside, closes it on Escape, and gives the focus back. */
export function openDialog({ title, shape = 'middle', body, onClose }: DialogSpec): OpenDialog {
  const element = document.createElement('dialog');
  element.className = shape === 'side' ? 'drawer' : 'box';
  element.setAttribute('aria-label', title);
  const leave = (): void => {
    if (!element.isConnected) return;
    element.remove();
    giveBack(element);
    onClose?.();
  };
  // The browser's `close` event comes a moment later, and what a dialog showed, such as a key, must be gone at once.
  const close = (): void => {
    element.close();
    leave();
  };
  const dialog: OpenDialog = {
    draw: () =>
      render(
        html`<header class="dialog-head">
            <h2>${title}</h2>
            <button type="button" class="icon-button codicon codicon-close" aria-label=${t('Close')} title=${t('Close')}
              @click=${close}></button>
          </header>
          <div class="dialog-body">${body(dialog)}</div>`,
        element,
      ),
    close,
  };
  const opener = document.activeElement;
  if (opener instanceof HTMLElement) openers.set(element, opener);
  element.addEventListener('close', leave);
  dialog.draw();
  document.body.append(element);
  element.showModal();
  // Forms inside draw themselves a moment later.
  requestAnimationFrame(() => {
    if (element.querySelector('.dialog-body')?.contains(document.activeElement)) return;
    element.querySelector<HTMLElement>('.dialog-body :is([autofocus], input, select, textarea)')?.focus();
  });
  return dialog;
}

const openers = new WeakMap<Element, HTMLElement>();

/**
 * Who works with the keyboard goes on where the dialog was opened: at the button, else where the dialog that held the button
 * was opened, else at the page.
 */
function giveBack(closed: Element): void {
  let target = openers.get(closed);
  while (target && !target.isConnected) {
    const around = target.closest('dialog');
    target = around ? openers.get(around) : undefined;
  }
  (target ?? document.querySelector<HTMLElement>('#content'))?.focus();
}

export interface ConfirmSpec {
  readonly title: string;
  /** What will happen, and to what. */
  readonly words: string;
  readonly button: string;
  readonly act: () => Promise<void>;
}

/** Asks before something that cannot be taken back. A refusal is said in the dialog. */
export function confirmDialog({ title, words, button, act }: ConfirmSpec): void {
  let error: string | undefined;
  let isBusy = false;
  const run = async (dialog: OpenDialog) => {
    isBusy = true;
    dialog.draw();
    try {
      await act();
      dialog.close();
    } catch (thrown) {
      error = wordsOf(thrown);
      isBusy = false;
      dialog.draw();
    }
  };
  openDialog({
    title,
    body: (dialog) => html`
      <p>${words}</p>
      ${failure(error)}
      <footer class="dialog-foot">
        <button type="button" class="button" autofocus @click=${() => dialog.close()}>${t('Cancel')}</button>
        <button type="button" class="button danger" ?disabled=${isBusy} @click=${() => run(dialog)}>${button}</button>
      </footer>
    `,
  });
}
