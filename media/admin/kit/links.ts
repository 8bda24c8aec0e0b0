import { html, type TemplateResult } from 'lit';
import type { DetailKind } from '../../../sidecar/protocol/gateway/pages/recordUse.ts';
import { withQuery } from '../api.ts';

/** The page whose list has the records of a kind. */
export const pageOfKind: Readonly<Record<DetailKind, string>> = {
  key: 'keys',
  team: 'teams',
  organization: 'organizations',
  user: 'users',
  end_user: 'end_users',
  budget: 'budgets',
  mcp_server: 'mcp_servers',
  toolset: 'toolsets',
  agent: 'agents',
  model: 'models',
  guardrail: 'guardrails',
};

/** Opens an address of the pages. Back leads to where one was. */
export function go(query: Readonly<Record<string, string>>): void {
  document.dispatchEvent(new CustomEvent('admin-go', { detail: query }));
}

/** A link within the pages: a real one, which can be opened in another tab. */
export function pageLink(query: Readonly<Record<string, string>>, words: TemplateResult | string): TemplateResult {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(query);
  };
  return html`<a class="link" href=${withQuery('', query)} @click=${follow}>${words}</a>`;
}

/** Links beside each other, such as the steps that come next. */
export const pageLinks = (
  links: readonly (readonly [query: Readonly<Record<string, string>>, words: string])[],
): TemplateResult => html`<p class="links">${links.map(([query, words]) => pageLink(query, words))}</p>`;

/** A link to the page of a record. */
export const recordLink = (kind: DetailKind, id: string, name: string): TemplateResult =>
  pageLink({ page: pageOfKind[kind], id }, name);
