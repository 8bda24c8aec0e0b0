import { html, nothing, type TemplateResult } from 'lit';

export interface Tile {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
}

/** Totals at a glance. */
export function tiles(label: string, all: readonly Tile[]): TemplateResult {
  return html`<dl class="tiles" aria-label=${label}>
    ${all.map(
      (it) =>
        html`<div class="tile"><dt>${it.label}</dt><dd>${it.value}</dd>${it.note ? html`<dd class="muted">${it.note}</dd>` : nothing}</div>`,
    )}
  </dl>`;
}
