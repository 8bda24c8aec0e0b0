import { html, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';

export interface Tab {
  readonly id: string;
  readonly label: string;
}

/** Where not all of them fit, the chosen one is in sight. It is drawn before it has a place on the page. */
function show(tab: Element | undefined): void {
  if (tab) requestAnimationFrame(() => tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
}

/** Tabs as WAI-ARIA has them: one stop, arrows, Home and End move and choose. */
export function tabList(
  label: string,
  tabs: readonly Tab[],
  chosen: string,
  choose: (id: string) => void,
): TemplateResult {
  const onKey = (event: KeyboardEvent) => {
    const at = tabs.findIndex((it) => it.id === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (!next) return;
    event.preventDefault();
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
    choose(next.id);
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} @keydown=${onKey}>
    ${tabs.map(
      (it) =>
        html`<button type="button" role="tab" id="tab-${it.id}" data-tab=${it.id} aria-controls="tab-panel"
          ${ref(it.id === chosen ? show : undefined)}
          aria-selected=${String(it.id === chosen)} tabindex=${it.id === chosen ? 0 : -1} @click=${() => choose(it.id)}>${it.label}</button>`,
    )}
  </div>`;
}
