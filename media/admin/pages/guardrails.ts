import { html, nothing } from 'lit';
import type { GuardrailAnswer } from '../../../sidecar/protocol/gateway/guardrails/answers.ts';
import { icon } from '../../shared/icon.ts';
import { fromHost, t } from '../../shared/l10n.ts';
import { confirmDialog } from '../kit/dialog.ts';
import { none } from '../kit/format.ts';
import { go } from '../kit/links.ts';
import type { Column } from '../kit/table.ts';
import { badge, nameCell } from '../records/cells.ts';
import { pageLocally } from '../records/localList.ts';
import { openForm } from '../records/openForm.ts';
import { openRecord, whyFixed } from '../records/openRecord.ts';
import { RecordsElement, type RowAction } from '../records/recordsElement.ts';
import { groupsOfGuardrail, guardrailBody } from './guardrails/guardrailForm.ts';
import { modeWords } from './guardrails/modeNames.ts';
import { openTrial } from './guardrails/trial.ts';

/** What looks at tool calls: those of the configuration file, which stay as they are, and those that are made here. */
class GuardrailsElement extends RecordsElement<GuardrailAnswer> {
  #made: readonly string[] = [];

  protected override words() {
    return {
      title: t('Guardrails'),
      intro: t(
        "Guardrails inspect tool calls before they run, while they are running, or after they have run. They can change a call's arguments or its result, or reject the call.",
      ),
      create: t('Add guardrail'),
      icon: 'shield',
      empty: t('Add a guardrail here, or under "guardrails" in switchboard.jsonc.'),
    };
  }
  protected override idOf = (it: GuardrailAnswer): string => it.guardrail_name;
  protected override nameOf = (it: GuardrailAnswer): string => it.guardrail_name;

  protected override async load(signal: AbortSignal) {
    const { guardrails } = await this.session.routes.guardrails(signal);
    this.#made = guardrails.filter((it) => !it.from_config).map((it) => it.guardrail_name);
    return pageLocally(guardrails, this.query, { textOf: (it) => `${it.guardrail_name} ${it.description ?? ''}` });
  }

  protected override filters() {
    if (!this.session.mayWrite) return nothing;
    return html`<button type="button" class="button" @click=${() => openTrial(this.session)}>${icon('beaker')} ${t('Try guardrails')}</button>`;
  }

  protected override columns(): readonly Column<GuardrailAnswer>[] {
    return [
      {
        name: t('Guardrail'),
        isText: true,
        cell: ({ guardrail_name: id }) => nameCell(id, undefined, () => go({ page: 'guardrails', id })),
      },
      { name: t('Description'), isWide: true, cell: (it) => (it.description ? fromHost(it.description) : none) },
      { name: t('Mode'), cell: (it) => modeWords(it.mode) },
      {
        name: t('Applies to'),
        isText: true,
        cell: (it) =>
          it.default_on
            ? badge('good', 'pass', t('Every call'))
            : badge('quiet', 'circle-outline', t('Keys, teams, and servers that list this guardrail')),
      },
    ];
  }

  protected override actions(row: GuardrailAnswer): readonly RowAction[] {
    if (!row.gateway_params) return [];
    const look = { id: 'look', label: t('View…'), icon: 'eye', run: () => this.edit(row) };
    if (!this.session.mayWrite) return [look];
    const name = row.guardrail_name;
    const attempt = { id: 'try', label: t('Try…'), icon: 'beaker', run: () => openTrial(this.session, [name]) };
    if (row.from_config) return [look, attempt];
    const at = this.#made.indexOf(name);
    return [
      { id: 'edit', label: t('Edit…'), icon: 'edit', run: () => this.edit(row) },
      attempt,
      ...(at > 0 ? [{ id: 'up', label: t('Run earlier'), icon: 'arrow-up', run: () => this.#move(name, at - 1) }] : []),
      ...(at < this.#made.length - 1
        ? [{ id: 'down', label: t('Run later'), icon: 'arrow-down', run: () => this.#move(name, at + 1) }]
        : []),
      { id: 'delete', label: t('Delete…'), icon: 'trash', run: () => this.#remove(name) },
    ];
  }

  #move(name: string, to: number): void {
    const names = this.#made.filter((it) => it !== name).toSpliced(to, 0, name);
    void this.act(
      () => this.session.routes.write('/guardrails/order', { guardrail_names: names }),
      t('The order was changed'),
    );
  }

  #remove(name: string): void {
    confirmDialog({
      title: t('Delete "{0}"?', name),
      words: t('Calls are no longer checked by this guardrail.'),
      button: t('Delete guardrail'),
      act: async () => {
        await this.session.routes.write('/guardrails/delete', { guardrail_name: name });
        this.notify(t('{0} was deleted', name));
        await this.list.run();
      },
    });
  }

  protected override edit(row?: GuardrailAnswer): void {
    const values = row && { ...row, gateway_params: { ...row.gateway_params, mode: [row.mode ?? []].flat() } };
    const kind = row?.gateway_params?.guardrail ?? '';
    if (row && values && (row.from_config || !this.session.mayWrite)) {
      openRecord(row.guardrail_name, whyFixed(row), groupsOfGuardrail(kind, row), values);
      return;
    }
    openForm(row ? t('Edit "{0}"', row.guardrail_name) : t('Add guardrail'), {
      submitLabel: row ? t('Save') : t('Add'),
      groups: (current) => groupsOfGuardrail(row ? kind : String(current('gateway_params.guardrail')), row),
      ...(values
        ? { kept: values }
        : { initial: { gateway_params: { guardrail: 'secret_redaction', mode: ['pre_mcp_call'], default_on: true } } }),
      submit: async (body) => {
        await this.session.routes.write(row ? '/guardrails/update' : '/guardrails/new', guardrailBody(body, row));
        this.notify(row ? t('{0} was saved', row.guardrail_name) : t('The guardrail was added'));
        await this.list.run();
      },
    });
  }
}
customElements.define('admin-guardrails', GuardrailsElement);
