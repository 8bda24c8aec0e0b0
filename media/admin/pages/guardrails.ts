import { html, type PropertyValues, type TemplateResult } from 'lit';
import type { GuardrailAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../shared/l10n.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { none } from '../kit/format.ts';
import { Loader } from '../kit/loader.ts';
import { emptyState, failure } from '../kit/notice.ts';
import { dataTable } from '../kit/table.ts';
import { badge } from '../records/cells.ts';

/** What looks at tool calls. They are written in the configuration file; here one sees which are on. */
class GuardrailsElement extends AdminElement {
  readonly #list = new Loader(this, async (signal) => (await this.session.routes.guardrails(signal)).guardrails);

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#list.run();
  }

  protected override render(): TemplateResult {
    return html`<header class="page-head"><div>
        <h1>${t('Guardrails')}</h1>
        <p class="muted">${t("Guardrails inspect tool calls before they run, while they are running, or after they have run. They can change a call's arguments or its result, or reject the call. Configure them in switchboard.jsonc.")}</p>
      </div></header>
      ${failure(this.#list.error, () => void this.#list.run())}
      ${dataTable<GuardrailAnswer>({
        label: t('Guardrails'),
        rows: this.#list.value,
        idOf: (it) => it.guardrail_name,
        isLoading: this.#list.isLoading,
        columns: [
          { name: t('Guardrail'), cell: (it) => it.guardrail_name },
          { name: t('Description'), isWide: true, cell: (it) => it.description ?? none },
          { name: t('Mode'), cell: (it) => modeWords(it.mode) },
          {
            name: t('Applies to'),
            cell: (it) =>
              it.default_on
                ? badge('good', 'pass', t('Every call'))
                : badge('quiet', 'circle-outline', t('Keys, teams, and servers that list this guardrail')),
          },
        ],
        empty: emptyState(
          'shield',
          t('No guardrails'),
          html`${t('Add one under "guardrails" in switchboard.jsonc. Example:')}
            <pre class="code">${example}</pre>`,
        ),
      })}`;
  }
}
customElements.define('admin-guardrails', GuardrailsElement);

const example = `"guardrails": [
  {
    "guardrail_name": "no-secrets",
    "gateway_params": { "guardrail": "secret_redaction", "mode": "pre_mcp_call", "default_on": true }
  }
]`;

const modeNames = (): Readonly<Record<string, string>> => ({
  pre_mcp_call: t('Before the call'),
  during_mcp_call: t('During the call'),
  post_mcp_call: t('After the call'),
});

function modeWords(mode: GuardrailAnswer['mode']): string {
  if (mode == null) return none;
  return [mode]
    .flat()
    .map((it) => modeNames()[it] ?? it)
    .join(', ');
}
