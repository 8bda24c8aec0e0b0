import { html, nothing, type TemplateResult } from 'lit';
import type { ToolAnswer, ToolCallAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../../shared/l10n.ts';
import { form } from '../../form/form.ts';
import { fieldsOfTool } from '../../form/formSpec.ts';
import { AdminElement } from '../../kit/adminElement.ts';
import { badge } from '../../records/cells.ts';

/** Calls a tool as a caller would: the form is the tool's own schema, the result is shown as it came. */
class ToolTesterElement extends AdminElement {
  static override properties = {
    ...AdminElement.properties,
    tool: { attribute: false },
    serverId: { attribute: false },
  };
  declare tool: ToolAnswer;
  declare serverId: string;
  #result: ToolCallAnswer | undefined;

  protected override render(): TemplateResult {
    const fields = fieldsOfTool(this.tool.inputSchema);
    return html`<h3>${this.tool.name}</h3>
      <p class="muted">${this.tool.description ?? ''}</p>
      ${fields.length === 0 ? html`<p class="muted">${t('This tool takes no arguments.')}</p>` : nothing}
      ${form({
        submitLabel: t('Call the tool'),
        groups: () => [{ title: t('Arguments'), fields }],
        submit: async (body) => {
          this.#result = undefined;
          this.requestUpdate();
          this.#result = await this.session.routes.callTool({
            name: this.tool.name,
            arguments: body,
            server_id: this.serverId,
          });
          this.requestUpdate();
        },
      })}
      <div aria-live="polite">${this.#result ? drawResult(this.#result) : nothing}</div>`;
  }
}
customElements.define('admin-tool-tester', ToolTesterElement);

function drawResult({ content, isError, structuredContent }: ToolCallAnswer): TemplateResult {
  return html`<section class="result" aria-label=${t('Result')}>
    <h3>${t('Result')} ${isError ? badge('bad', 'error', t('The tool reported an error')) : badge('good', 'pass', t('Success'))}</h3>
    ${content.map((it) => html`<pre class="code" tabindex="0">${typeof it['text'] === 'string' ? it['text'] : JSON.stringify(it, null, 2)}</pre>`)}
    ${structuredContent === undefined ? nothing : html`<h4>${t('Structured content')}</h4><pre class="code" tabindex="0">${JSON.stringify(structuredContent, null, 2)}</pre>`}
  </section>`;
}
