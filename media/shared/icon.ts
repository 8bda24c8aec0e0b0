import { html, type TemplateResult } from 'lit';

/** A codicon beside words. It never carries meaning alone, so it is hidden from assistive software. */
export function icon(name: string, isSpinning = false): TemplateResult {
  return html`<span class="codicon codicon-${name} ${isSpinning ? 'spin' : ''}" aria-hidden="true"></span>`;
}
