import { html, nothing, type TemplateResult } from 'lit';
import type { GuardrailTryAnswer } from '../../../../sidecar/protocol/gateway/guardrails/answers.ts';
import { t } from '../../../shared/l10n.ts';
import { form } from '../../form/form.ts';
import { type FormGroup, fieldOf } from '../../form/formSpec.ts';
import { AdminElement, type Session } from '../../kit/adminElement.ts';
import { openDialog } from '../../kit/dialog.ts';
import { dataTable } from '../../kit/table.ts';
import { badge } from '../../records/cells.ts';
import { modeWords } from './modeNames.ts';

type Tried = GuardrailTryAnswer['guardrails'][number];

/** Shows what guardrails would do to a call. @param names default: all of them */
export function openTrial(session: Session, names?: readonly string[]): void {
  openDialog({
    title: t('Try guardrails'),
    shape: 'side',
    body: () => html`<admin-guardrail-trial .session=${session} .names=${names}></admin-guardrail-trial>`,
  });
}

/** A form for a tool call that is not made, and what each guardrail would do to it. */
class GuardrailTrialElement extends AdminElement {
  static override properties = { ...AdminElement.properties, names: { attribute: false } };
  declare names: readonly string[] | undefined;
  #tried: readonly Tried[] | undefined;

  protected override render(): TemplateResult {
    return html`<p class="muted">${t('The tool is not called, and nothing is recorded.')}</p>
      ${form({
        submitLabel: t('Try'),
        groups: () => [fields()],
        submit: async (body) => {
          this.#tried = undefined;
          this.requestUpdate();
          const asked = { ...body, ...(this.names && { guardrail_names: this.names }) };
          this.#tried = (await this.session.routes.tryGuardrails(asked)).guardrails;
          this.requestUpdate();
        },
      })}
      <div aria-live="polite">${this.#tried ? drawTried(this.#tried) : nothing}</div>`;
  }
}
customElements.define('admin-guardrail-trial', GuardrailTrialElement);

const fields = (): FormGroup => ({
  title: t('Tool call'),
  fields: [
    fieldOf('tool', { type: 'string' }, { label: t('Tool'), isRequired: true }),
    fieldOf('server_id', { type: 'string' }, { label: t('Server ID'), help: t('If empty: no server.') }),
    fieldOf(
      'arguments',
      {},
      { label: t('Arguments'), kind: 'json', help: t('A JSON object, such as {0}', '{"text": "hello"}') },
    ),
    fieldOf('result', {}, { label: t('Result'), kind: 'json', help: t('For guardrails that run after the call.') }),
  ],
});

const outcomes = (): Readonly<Record<Tried['outcome'], TemplateResult>> => ({
  allow: badge('good', 'pass', t('Allows it')),
  block: badge('bad', 'circle-slash', t('Rejects it')),
  replace: badge('warn', 'edit', t('Changes it')),
  add_headers: badge('good', 'pass', t('Adds headers')),
  failed: badge('bad', 'error', t('Failed')),
  not_tried: badge('quiet', 'circle-outline', t('Not tried')),
});

const drawTried = (tried: readonly Tried[]): TemplateResult => html`<section class="result" aria-label=${t('Result')}>
  ${dataTable<Tried>({
    label: t('Result'),
    rows: tried,
    idOf: (it) => `${it.guardrail_name} ${it.mode}`,
    isLoading: false,
    columns: [
      { name: t('Guardrail'), cell: (it) => it.guardrail_name },
      { name: t('Mode'), cell: (it) => modeWords(it.mode) },
      { name: t('Outcome'), isWide: true, cell: (it) => html`${outcomes()[it.outcome]}${details(it)}` },
    ],
    empty: html`${t('No guardrails')}`,
  })}
</section>`;

function details({ message, arguments: args, result, headers }: Tried) {
  const changed = args ?? result;
  return html`${message ? html`<small class="reason">${message}</small>` : nothing}
    ${changed ? html`<pre class="code" tabindex="0">${JSON.stringify(changed, null, 2)}</pre>` : nothing}
    ${headers ? html`<small class="reason">${headers.join(', ')}</small>` : nothing}`;
}
