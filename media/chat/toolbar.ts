import { html, type TemplateResult } from 'lit';

const shownMs = 1200;

/** One action of a row, shown while the row has the pointer or the focus. @param needs when it is there at all */
export function toolbarButton(
  codicon: string,
  label: string,
  press: (event: Event) => void,
  needs = '',
): TemplateResult {
  return html`<button
    type="button"
    class="icon-button codicon codicon-${codicon} ${needs}"
    aria-label=${label}
    title=${label}
    @click=${press}
  ></button>`;
}

export function copyButton(label: string, copy: () => void): TemplateResult {
  return toolbarButton('copy', label, (event) => {
    copy();
    showCopied(event.currentTarget as HTMLElement);
  });
}

/** The button says for a moment that it was done. */
export function showCopied(button: HTMLElement): void {
  button.classList.replace('codicon-copy', 'codicon-check');
  window.setTimeout(() => button.classList.replace('codicon-check', 'codicon-copy'), shownMs);
}
