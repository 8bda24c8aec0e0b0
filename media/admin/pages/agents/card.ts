import { html, nothing, type TemplateResult } from 'lit';
import type { AgentRecord } from '../../../../sidecar/protocol/gateway/agent.ts';
import { t } from '../../../shared/l10n.ts';
import { isMap } from '../../form/drafts.ts';
import type { Session } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { openDialog } from '../../kit/dialog.ts';
import { wordsOf } from '../../kit/loader.ts';
import { failure } from '../../kit/notice.ts';

/** An agent's card as callers get it: with the gateway's address in the place of the agent's own. */
export async function openCard(session: Session, agent: AgentRecord): Promise<void> {
  let card: Readonly<Record<string, unknown>> | undefined;
  let error: string | undefined;
  const dialog = openDialog({
    title: t('Agent card for {0}', agent.agent_name),
    shape: 'side',
    body: () => html`
      ${copyable(session.place, t('Address'), `${session.place.baseUrl()}/a2a/${agent.agent_id}`)}
      ${failure(error)}
      ${card ? drawCard(card) : error ? nothing : html`<p class="muted" aria-busy="true">${t('Contacting the agent…')}</p>`}`,
  });
  try {
    card = await session.routes.card(agent.agent_id);
  } catch (thrown) {
    error = wordsOf(thrown);
  }
  dialog.draw();
}

function drawCard(card: Readonly<Record<string, unknown>>): TemplateResult {
  const skills = Array.isArray(card['skills']) ? card['skills'].filter(isMap) : [];
  const words = (it: unknown) => (typeof it === 'string' ? it : '');
  return html`<h3>${words(card['name'])} <small class="muted">${words(card['version'])}</small></h3>
    <p>${words(card['description'])}</p>
    ${
      skills.length > 0
        ? html`<h4>${t('Skills')}</h4><ul class="tools">${skills.map((it) => html`<li><div><strong>${words(it['name'])}</strong><p class="muted">${words(it['description'])}</p></div></li>`)}</ul>`
        : nothing
    }
    <details><summary>${t('Full card (JSON)')}</summary><pre class="code" tabindex="0">${JSON.stringify(card, null, 2)}</pre></details>`;
}
