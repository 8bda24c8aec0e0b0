import type { DailyActivityAnswer, ListedModel } from '../../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../../shared/l10n.ts';
import { valueAt } from '../../form/collect.ts';
import { draftOf } from '../../form/drafts.ts';
import type { RecordPage } from '../../gateway.ts';
import { confirmDialog } from '../../kit/dialog.ts';
import { addDays, money } from '../../kit/format.ts';
import { pageLinks } from '../../kit/links.ts';
import { Loader } from '../../kit/loader.ts';
import type { Column } from '../../kit/table.ts';
import { pageLocally } from '../../records/localList.ts';
import { visible } from '../../records/lookups.ts';
import { openForm } from '../../records/openForm.ts';
import { isConfigured, openRecord, whyFixed } from '../../records/openRecord.ts';
import { RecordsElement, type RowAction } from '../../records/recordsElement.ts';
import { DAYS_AT_ONCE, readDays } from '../usage/days.ts';
import { sumDays } from '../usage/sums.ts';
import { healthCell, isFirst, modelCell, priceCell, providerCell, searchedWords, usersCell } from './modelCells.ts';
import { modelGroups } from './modelForm.ts';
import { byRegisteredName, groupsOf, type ModelRow, rowsOf } from './modelRows.ts';
import { initialModel, modelBody, modelValues, named } from './modelValues.ts';
import { openModelUsers } from './usersDialog.ts';

/** Days of the spend that the list shows. */
const SPEND_DAYS = 30;

/** Models that callers can use, with the backends that serve each of them. */
class ModelListElement extends RecordsElement<ModelRow> {
  readonly #users = new Loader(this, async (signal) => {
    const users = await visible(this.session.routes.modelUsers(signal));
    return new Map(users.map((it) => [it.model_name, it]));
  });
  readonly #spend = new Loader(this, (signal, part: (sums: ReadonlyMap<string, number>) => void) =>
    this.#readSpend(signal, part),
  );
  #names: readonly string[] = [];

  protected override words() {
    return {
      title: t('Models'),
      intro: t('Callers refer to a model by its name. The status comes from the replica that served this page.'),
      create: t('Add model'),
      icon: 'sparkle',
      isPart: true,
      empty: t('Add a model from OpenAI, Anthropic, Google, or your own server. Then allow it for keys or teams.'),
      next: pageLinks([
        [{ page: 'keys' }, t('Virtual keys')],
        [{ page: 'teams' }, t('Teams')],
      ]),
    };
  }
  protected override idOf = ({ name, backend }: ModelRow): string => backend?.model_id ?? `name ${name}`;
  protected override nameOf = ({ name, backend, backends }: ModelRow): string =>
    backend && backends.length > 1 ? `${name} (${backend.gateway_params?.model ?? backend.model_id})` : name;

  protected override async load(signal: AbortSignal): Promise<RecordPage<ModelRow>> {
    const models = await this.session.routes.models(signal);
    this.#names = [...new Set(models.map((it) => it.model_name))];
    void this.#users.run();
    void this.#spend.run();
    // Groups are not split between pages.
    const page = pageLocally(groupsOf(models), this.query, {
      textOf: (it) => it.backends.map(searchedWords).join(' '),
    });
    return { ...page, rows: page.rows.flatMap(rowsOf) };
  }

  async #readSpend(signal: AbortSignal, part: (sums: ReadonlyMap<string, number>) => void) {
    const { today } = this.session.api;
    const range = { start_date: addDays(today, 1 - SPEND_DAYS), end_date: today };
    const query = { ...range, breakdown: 'model_groups', page_size: DAYS_AT_ONCE };
    const read = (page: number) => this.session.routes.daily('user', { ...query, page }, signal);
    const sums = (days: DailyActivityAnswer['results']) => byRegisteredName(sumDays(days, 'model_groups'), this.#names);
    return sums(await readDays(read, (days) => part(sums(days))));
  }

  protected override columns(): readonly Column<ModelRow>[] {
    const users = this.#users.value;
    const spend = this.#spend.value;
    return [
      { name: t('Model'), cell: (row) => modelCell(row, () => void this.edit(row)) },
      { name: t('Provider'), cell: providerCell },
      { name: t('Price per 1M tokens'), cell: priceCell },
      {
        name: t('Access'),
        cell: (row) => usersCell(row, users?.get(row.name), () => this.#openUsers(row)),
      },
      {
        name: t('Spend, {0} days', SPEND_DAYS),
        isNumber: true,
        cell: (row) => (spend && isFirst(row) ? money(spend.get(row.name) ?? 0) : ''),
      },
      { name: t('Status'), cell: healthCell },
    ];
  }

  #openUsers({ name }: ModelRow): void {
    const users = this.#users.value?.get(name);
    if (users) openModelUsers(users);
  }

  protected override actions(row: ModelRow): readonly RowAction[] {
    const { backend } = row;
    const users = this.#users.value?.has(row.name)
      ? [{ id: 'users', label: t('Who can use it…'), icon: 'organization', run: () => this.#openUsers(row) }]
      : [];
    if (!this.session.mayWrite)
      return backend
        ? [{ id: 'look', label: t('View…'), icon: 'eye', run: () => void this.edit(row) }, ...users]
        : users;
    const add = { id: 'add', label: t('Add backend…'), icon: 'add', run: () => void this.#openNew(row.name) };
    if (!backend) return [add, ...users];
    const isFixed = isConfigured(backend);
    return [
      isFixed
        ? { id: 'look', label: t('View…'), icon: 'eye', run: () => void this.edit(row) }
        : { id: 'edit', label: t('Edit…'), icon: 'edit', run: () => void this.edit(row) },
      ...(isFirst(row) ? [add, ...users] : []),
      ...(isFixed ? [] : [{ id: 'delete', label: t('Delete…'), icon: 'trash', run: () => this.#remove(row, backend) }]),
    ];
  }

  #remove(row: ModelRow, { model_id }: ListedModel): void {
    const name = this.nameOf(row);
    confirmDialog({
      title: t('Delete "{0}"?', name),
      words:
        row.backends.length > 1
          ? t('Its key will be deleted. The other backends of {0} get its calls.', row.name)
          : t('Its key will be deleted. Calls to {0} will be rejected.', row.name),
      button: t('Delete'),
      act: async () => {
        await this.session.routes.deleteModel(model_id);
        this.notify(t('{0} was deleted', name));
        await this.list.run();
      },
    });
  }

  protected override async edit(row?: ModelRow): Promise<void> {
    if (!row?.backend) return this.#openNew(row?.name);
    const { session } = this;
    const { backend } = row;
    const credentials = await this.#credentials();
    const values = modelValues(backend);
    const title = this.nameOf(row);
    if (isConfigured(backend) || !session.mayWrite) {
      const current = (name: string) => String(draftOf('text', valueAt(values, name)) ?? '');
      return openRecord(title, whyFixed(backend), modelGroups(current, credentials, backend), values);
    }
    openForm(t('Edit "{0}"', title), {
      groups: (current) => modelGroups((name) => String(current(name) ?? ''), credentials, backend),
      kept: values,
      submit: async (body) => {
        await named(session.routes.updateModel(modelBody(body, backend)));
        this.notify(t('{0} was saved', title));
        await this.list.run();
      },
    });
  }

  async #openNew(model_name?: string): Promise<void> {
    const credentials = await this.#credentials();
    openForm(model_name === undefined ? t('Add model') : t('Add a backend for {0}', model_name), {
      groups: (current) => modelGroups((name) => String(current(name) ?? ''), credentials, undefined),
      initial: { ...initialModel, ...(model_name !== undefined && { model_name }) },
      submit: async (body) => {
        const entered = body['model_name'];
        const name = typeof entered === 'string' ? entered : (model_name ?? '');
        await named(this.session.routes.createModel(modelBody({ ...body, model_name: name }, undefined)));
        this.notify(t('{0} was added', name));
        await this.list.run();
      },
    });
  }

  async #credentials() {
    const found = await visible(this.session.routes.credentials());
    return found.map((it) => ({ value: it.credential_name, label: it.credential_name }));
  }
}
customElements.define('admin-model-list', ModelListElement);
