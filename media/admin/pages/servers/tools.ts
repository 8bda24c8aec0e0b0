import { html, nothing, type TemplateResult } from 'lit';
import type { McpServerAnswer, ToolAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../../shared/l10n.ts';
import type { Session } from '../../kit/adminElement.ts';
import { type OpenDialog, openDialog } from '../../kit/dialog.ts';
import { escaped } from '../../kit/format.ts';
import { wordsOf } from '../../kit/loader.ts';
import { emptyState, failure } from '../../kit/notice.ts';
import { visible } from '../../records/lookups.ts';
import { drawHeld, type HeldTool } from './heldTools.ts';
import './toolTester.ts';

/** The tools of a server as callers get them, and a way to try each. */
export async function openTools(session: Session, server: McpServerAnswer, name: string): Promise<void> {
  let tools: readonly ToolAnswer[] | undefined;
  let error: string | undefined;
  let chosen: ToolAnswer | undefined;
  let held: readonly HeldTool[] = [];
  const { routes } = session;
  const read = async () => {
    try {
      const answer = await routes.tools(server.server_id);
      tools = answer.tools;
      const why = [answer.message ?? answer.error, server.health_check_error].filter(Boolean).join(' ');
      error = answer.error ? why : undefined;
      // Listing is what finds out that a tool changed, so what is held is asked for after it.
      held = (await visible(routes.pins(server.server_id))).filter((it) => it.held);
    } catch (thrown) {
      error = wordsOf(thrown);
    }
  };
  const approve = async (own: OpenDialog) => {
    try {
      await routes.pinServer(server.server_id, true);
      await read();
    } catch (thrown) {
      error = wordsOf(thrown);
    }
    own.draw();
  };
  const dialog = openDialog({
    title: t('Tools on {0}', name),
    shape: 'side',
    body: (own) => {
      const choose = (tool: ToolAnswer | undefined) => {
        chosen = tool;
        own.draw();
      };
      if (chosen) {
        return html`<button type="button" class="link" @click=${() => choose(undefined)}>${t('All tools on {0}', name)}</button>
          <admin-tool-tester .session=${session} .tool=${chosen} .serverId=${server.server_id}></admin-tool-tester>`;
      }
      return html`${failure(error)}${held.length > 0 ? drawHeld(held, session.mayWrite ? () => approve(own) : undefined) : nothing}${tools && !(error && tools.length === 0) ? drawTools(tools, choose) : error ? nothing : html`<p class="muted" aria-busy="true">${t('Contacting the server…')}</p>`}`;
    },
  });
  await read();
  dialog.draw();
}

function drawTools(tools: readonly ToolAnswer[], choose: (tool: ToolAnswer) => void): TemplateResult {
  if (tools.length === 0)
    return emptyState('tools', t('No tools'), t('The server offers no tools, or none that this key can use.'));
  return html`<ul class="tools" aria-label=${t('Tools')}>
    ${tools.map(
      (it) => html`<li>
        <div><strong>${escaped(it.name)}</strong><p class="muted">${it.description ?? ''}</p></div>
        <button type="button" class="button" aria-label=${t('Try {0}', escaped(it.name))} @click=${() => choose(it)}>${t('Try')}</button>
      </li>`,
    )}
  </ul>`;
}
