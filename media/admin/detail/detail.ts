import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { DetailKind, RecordUse } from '../../../sidecar/protocol/gateway/pages/recordUse.ts';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import type { FormGroup } from '../form/formSpec.ts';
import { AdminElement, type Session } from '../kit/adminElement.ts';
import { addDays, moment, shortHash } from '../kit/format.ts';
import { pageLink, pageOfKind } from '../kit/links.ts';
import { Loader } from '../kit/loader.ts';
import { emptyState, failure, hint } from '../kit/notice.ts';
import { readLookups, visible } from '../records/lookups.ts';
import { drawGroup, isConfigured, whyFixed } from '../records/openRecord.ts';
import type { RowAction } from '../records/recordsElement.ts';
import { type ActingSession, type DetailSpec, detailSpecs } from './specs.ts';
import { type Allowance, drawNamedBy, drawShares, headings, USE_DAYS, useTiles } from './use.ts';

/** Members that every kind of record may have. */
interface Stamps {
  readonly created_at?: string | null;
  readonly created_by?: string | null;
  readonly updated_at?: string | null;
  readonly updated_by?: string | null;
  readonly budget_id?: string | null;
}
type Row = object & Stamps & Allowance;

/** One record: what it is, how it was used, who uses it, and the way to change it. */
class DetailElement extends AdminElement {
  static override properties = { ...AdminElement.properties, kind: { attribute: false } };
  declare kind: DetailKind;
  readonly #row = new Loader(this, async (signal) => ({
    found: await this.#spec().read(this.session.routes, this.#id(), signal),
  }));
  /** Names of what the record refers to come after the record itself. */
  readonly #groups = new Loader<readonly FormGroup[]>(this, async () => {
    const row = this.#row.value?.found;
    const { routes } = this.session;
    return row ? this.#spec().form(await readLookups(routes), row, routes) : [];
  });
  readonly #use = new Loader<RecordUse | undefined>(this, async (signal) => {
    const { routes, api } = this.session;
    const query = {
      kind: this.kind,
      id: this.#useId(),
      start_date: addDays(api.today, 1 - USE_DAYS),
      end_date: api.today,
    };
    // Who may not see it has the record alone.
    const [found] = await visible(routes.recordUse(query, signal).then((it) => [it]));
    return found;
  });
  readonly #budget = new Loader<Allowance>(this, async (signal) => {
    const { budget_id } = this.#row.value?.found ?? {};
    const all = budget_id ? await visible(this.session.routes.budgets(signal)) : [];
    return { max_budget: all.find((it) => it.budget_id === budget_id)?.max_budget };
  });

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#load();
  }

  async #load(): Promise<void> {
    await this.#row.run();
    if (this.#row.value?.found) await Promise.all([this.#groups.run(), this.#use.run(), this.#budget.run()]);
  }

  #id(): string {
    return this.query['id'] ?? '';
  }

  /** The address of a toolset may have its name. */
  #useId(): string {
    const row = this.#row.value?.found;
    return row && 'toolset_id' in row && typeof row.toolset_id === 'string' ? row.toolset_id : this.#id();
  }

  /** The record that a kind reads is what its other functions take. */
  #spec(): DetailSpec<Row> {
    return detailSpecs[this.kind] as unknown as DetailSpec<Row>;
  }

  protected override render(): TemplateResult {
    const { value, error } = this.#row;
    const page = pageOfKind[this.kind];
    const back = html`<nav class="crumbs" aria-label=${t('Where you are')}>${pageLink({ page }, html`${icon('arrow-left')} ${headings[this.kind]()}`)}</nav>`;
    if (!value) {
      const waits = html`<p class="muted" aria-busy="true">${t('Opening…')}</p>`;
      return html`${back}<h1>${this.#spec().noun()}</h1>${error === undefined ? waits : failure(error, () => void this.#load())}`;
    }
    if (!value.found) {
      const words = t('It was deleted, or you may not see it.');
      return html`${back}<h1>${this.#spec().noun()}</h1>${emptyState('search', t('Not found'), words)}`;
    }
    return html`${back}${this.#head(value.found)}${this.#body(value.found)}`;
  }

  #head(row: Row): TemplateResult {
    const spec = this.#spec();
    const isFixed = isConfigured(row) || !this.session.mayWrite;
    const edit = () => void spec.edit?.(this.#actingSession(), row, (words) => this.#saved(words));
    const button = ({ label, icon: name, run }: RowAction) =>
      html`<button type="button" class="button" @click=${run}>${name ? icon(name) : nothing} ${label}</button>`;
    return html`<header class="page-head">
        <div><h1>${spec.nameOf(row)}</h1>
          <p class="muted">${spec.noun()} · <code>${this.kind === 'key' ? shortHash(this.#id()) : this.#id()}</code></p>
          ${spec.state?.(row, this.session) ?? nothing}
        </div>
        <div class="exports">
          ${(spec.actions?.(row, this.#actingSession()) ?? []).map(button)}
          ${isFixed || !spec.edit ? nothing : html`<button type="button" class="button primary" @click=${edit}>${icon('edit')} ${t('Edit…')}</button>`}
        </div>
      </header>
      ${isFixed && spec.edit ? hint(whyFixed(row)) : nothing}`;
  }

  #body(row: Row): TemplateResult {
    const spec = this.#spec();
    const { value: use, error } = this.#use;
    const groups = this.#groups.value ?? [];
    const allowance = {
      ...row,
      max_budget: row.max_budget ?? this.#budget.value?.max_budget,
      budget_duration: row.budget_duration ?? this.#budget.value?.budget_duration,
    };
    const settings = [...groups.map((it) => drawGroup(it, spec.values(row))), this.#stamps(row)];
    const isSeen = !this.#use.isLoading && use === undefined;
    // A budget itself has no spend: those that use it have one each.
    const hasOwnSpend = this.kind !== 'budget';
    return html`<div class="stack">
      ${useTiles(isSeen ? null : use?.calls, hasOwnSpend ? allowance : {})}
      ${failure(error, () => void this.#use.run())}
      ${spec.more?.(row) ?? nothing}
      ${failure(this.#groups.error, () => void this.#groups.run())}
      ${settings.some((it) => it !== nothing) ? html`<section class="card"><h2>${t('Settings')}</h2>${settings}</section>` : nothing}
      ${use ? drawNamedBy(use.named_by) : nothing}
      ${use?.calls ? drawShares(use.calls, this.kind) : nothing}
      ${this.#elsewhere()}
    </div>`;
  }

  #stamps({ created_at, created_by, updated_at, updated_by }: Row): TemplateResult | typeof nothing {
    if (!created_at) return nothing;
    const words = (time: string | null | undefined, by: string | null | undefined) =>
      by && by !== 'config' && by.length < 64 ? t('{0} by {1}', moment(time), by) : moment(time);
    return html`<h3>${t('Record')}</h3><dl class="facts">
      <dt>${t('Created')}</dt><dd>${words(created_at, created_by)}</dd>
      <dt>${t('Changed')}</dt><dd>${words(updated_at, updated_by)}</dd>
    </dl>`;
  }

  /** The same record on the other pages. */
  #elsewhere(): TemplateResult {
    const id = this.#id();
    const filter = logFilters[this.kind];
    const logs = filter === undefined ? nothing : pageLink({ page: 'logs', [filter]: id }, t('Show in logs'));
    return html`<p class="links">${logs} ${pageLink({ page: 'audit', object_id: id }, t('Show in audit'))}</p>`;
  }

  /** Actions of rows say what they did through the page. */
  #actingSession(): ActingSession {
    return {
      ...this.session,
      notify: (words) => this.notify(words),
      act: async (work, done) => {
        await this.attempt(work, done);
        await this.#load();
      },
    };
  }

  async #saved(words: string): Promise<void> {
    this.notify(words);
    await this.#load();
  }
}
customElements.define('admin-detail', DetailElement);

/** By which filter the logs find the calls of a record. */
const logFilters: Readonly<Partial<Record<DetailKind, string>>> = {
  key: 'api_key',
  team: 'team_id',
  user: 'user_id',
  end_user: 'end_user',
  model: 'model_group',
};

export const detailPage = (
  session: Session,
  query: Readonly<Record<string, string>>,
  kind: DetailKind,
): TemplateResult => html`<admin-detail .session=${session} .query=${query} .kind=${kind}></admin-detail>`;
