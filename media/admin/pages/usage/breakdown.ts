import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { DailyActivityAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { toCsv } from '../../../../sidecar/protocol/gateway/csv.ts';
import { modelProviderOf } from '../../../../sidecar/protocol/gateway/modelProviders/index.ts';
import type { DetailKind } from '../../../../sidecar/protocol/gateway/pages/recordUse.ts';
import { icon } from '../../../shared/icon.ts';
import { t } from '../../../shared/l10n.ts';
import { AdminElement } from '../../kit/adminElement.ts';
import { count, escaped, money, percent, shortHash } from '../../kit/format.ts';
import { recordLink } from '../../kit/links.ts';
import { Loader } from '../../kit/loader.ts';
import { emptyState, failure } from '../../kit/notice.ts';
import { pager } from '../../kit/pager.ts';
import { type Column, dataTable } from '../../kit/table.ts';
import { pageOf, pageSize } from '../../records/localList.ts';
import { bars } from './bars.ts';
import { DAYS_AT_ONCE, readDays } from './days.ts';
import type { UsageFilter } from './filters.ts';
import { type Breakdown, type SumRow, sumDays } from './sums.ts';

interface Section {
  readonly entity: 'user' | 'team' | 'agent' | 'customer' | 'organization' | 'tag';
  readonly breakdown: Breakdown;
  readonly column: () => string;
  /** In front of every name that belongs here, and not shown. */
  readonly prefix?: string;
  /** Names that are none of this kind. */
  readonly except?: RegExp;
  /** Said below the heading. */
  readonly note?: () => string;
  /** Shows a column for each kind of tokens. */
  readonly hasTokens?: true;
  /** What its IDs are the IDs of. */
  readonly record?: DetailKind;
  /** The label for a name. */
  readonly words?: (name: string) => string;
}
/** Calls that are of no tool: models of records are then named after the method. */
const methods =
  /^MCP: (?:initialize|ping|server\/discover|(?:tools|prompts|resources|completion|logging|subscriptions|tasks)\/[\w/]+)$/;
const sides: Readonly<Record<string, readonly Section[]>> = {
  servers: [
    { entity: 'user', breakdown: 'mcp_servers', column: () => t('Server') },
    {
      entity: 'user',
      breakdown: 'models',
      column: () => t('Tool'),
      prefix: 'MCP: ',
      except: methods,
      note: () => t('Tools of different servers that have the same name are counted together.'),
    },
  ],
  models: [
    { entity: 'user', breakdown: 'model_groups', column: () => t('Model'), hasTokens: true, record: 'model' },
    {
      entity: 'user',
      breakdown: 'providers',
      column: () => t('Provider'),
      hasTokens: true,
      words: (name) => modelProviderOf(name)?.label ?? name,
    },
  ],
  agents: [{ entity: 'agent', breakdown: 'entities', column: () => t('Agent'), record: 'agent' }],
  keys: [{ entity: 'user', breakdown: 'api_keys', column: () => t('Key'), record: 'key' }],
  teams: [{ entity: 'team', breakdown: 'entities', column: () => t('Team'), record: 'team' }],
  users: [{ entity: 'user', breakdown: 'entities', column: () => t('User'), record: 'user' }],
  end_users: [{ entity: 'customer', breakdown: 'entities', column: () => t('End user'), record: 'end_user' }],
  organizations: [
    { entity: 'organization', breakdown: 'entities', column: () => t('Organization'), record: 'organization' },
  ],
  tags: [{ entity: 'tag', breakdown: 'entities', column: () => t('Tag') }],
};
/** A table for each section. */
type Sums = readonly (readonly SumRow[])[];
const hash = /^[0-9a-f]{64}$/;

/** The same days by server and tool, model, agent, key, team, user, end user, organization or tag. */
class BreakdownElement extends AdminElement {
  static override properties = {
    ...AdminElement.properties,
    filter: { attribute: false, hasChanged: (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b) },
    side: { attribute: false },
    names: { attribute: false },
  };
  declare filter: UsageFilter;
  declare side: string;
  /** What IDs of records are called. */
  declare names: ReadonlyMap<string, string>;
  /** Which page of its table each section shows. */
  readonly #pages = new Map<Section, number>();
  readonly #sums = new Loader<Sums>(this, (signal, part) => this.#load(signal, part));

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('filter') && !changed.has('side')) return;
    if (changed.has('side')) this.#sums.value = undefined;
    this.#pages.clear();
    void this.#sums.run();
  }

  async #load(signal: AbortSignal, part: (sums: Sums) => void): Promise<Sums> {
    const sections = sides[this.side]!;
    const { start_date, end_date, api_key } = this.filter;
    const sums = (days: DailyActivityAnswer['results']) => sections.map((it) => sumDays(days, it.breakdown));
    const read = (page: number) => {
      const breakdown = sections.map((it) => it.breakdown).join(',');
      const query = { start_date, end_date, api_key, breakdown, page, page_size: DAYS_AT_ONCE };
      return this.session.routes.daily(sections[0]!.entity, query, signal);
    };
    return sums(await readDays(read, (days) => part(sums(days))));
  }

  #named(rows: readonly SumRow[], { prefix = '', except, words }: Section): readonly SumRow[] {
    return rows
      .filter((it) => it.name.startsWith(prefix) && !except?.test(it.name))
      .map((it) => {
        const name = words?.(it.name) ?? this.names.get(it.id) ?? it.name.slice(prefix.length);
        return { ...it, name: hash.test(name) ? shortHash(name) : escaped(name) };
      });
  }

  protected override render(): TemplateResult {
    const { value, error, isLoading } = this.#sums;
    return html`${failure(error, () => void this.#sums.run())}
      <div class="stack">${sides[this.side]!.map((it, at) => this.#section(it, value?.[at] && this.#named(value[at], it), isLoading))}</div>`;
  }

  /** The page of a table that is shown. */
  #paged(section: Section, rows: readonly SumRow[]) {
    const page = pageOf(rows, this.#pages.get(section) ?? 1, pageSize);
    const go = (to: number) => {
      this.#pages.set(section, to);
      this.requestUpdate();
    };
    const drawn = page.totalPages > 1 ? pager({ ...page, pageSize, go, label: section.column() }) : nothing;
    return { rows: page.rows, pager: drawn };
  }

  #section(section: Section, rows: readonly SumRow[] | undefined, isLoading: boolean): TemplateResult {
    const column = section.column();
    const page = rows && this.#paged(section, rows);
    return html`<section class="card">
      <header class="card-head"><h2>${column}</h2>
        <button type="button" class="button" ?disabled=${!rows?.length} @click=${() => this.#download(section, rows ?? [])}>${icon('desktop-download')} ${t('Download CSV')}</button>
      </header>
      ${section.note ? html`<p class="muted">${section.note()}</p>` : nothing}
      ${rows && rows.length > 1 ? bars(rows) : ''}
      ${dataTable<SumRow>({
        label: t('Activity by {0}', column.toLowerCase()),
        rows: page?.rows,
        idOf: (it) => it.id,
        isLoading,
        empty: emptyState('graph', t('No calls'), t('No calls in this period.')),
        columns: [
          { name: column, isWide: true, cell: (it) => nameOf(section, it) },
          ...(section.hasTokens ? [] : [successful()]),
          { name: t('Failed Requests'), isNumber: true, cell: (it) => count(it.failed) },
          { name: t('Total Requests'), isNumber: true, cell: (it) => count(it.total) },
          { name: t('Success Rate'), isNumber: true, cell: (it) => percent(rateOf(it)) },
          ...(section.hasTokens ? tokenColumns() : [{ name: t('Total Tokens'), isNumber: true, cell: totalTokens }]),
          { name: t('Spend'), isNumber: true, cell: (it) => money(it.spend) },
        ],
      })}
      ${page?.pager ?? nothing}
    </section>`;
  }

  #download({ breakdown, hasTokens }: Section, rows: readonly SumRow[]): void {
    const { start_date, end_date } = this.filter;
    const lines = rows.map((it) => [
      it.id,
      it.name,
      it.successful,
      it.failed,
      it.total,
      rateOf(it),
      it.tokens,
      it.spend,
      ...(hasTokens ? [it.input, it.output, it.cacheRead, it.cacheCreation] : []),
    ]);
    const head = [...csvHead, ...(hasTokens ? tokensHead : [])];
    const name = `activity-by-${this.side}-${breakdown}-${start_date}-${end_date}.csv`;
    this.session.place.save(name, toCsv([head, ...lines]));
    this.notify(t('The table was downloaded'));
  }
}
customElements.define('admin-breakdown', BreakdownElement);

const nameOf = ({ record }: Section, { id, name }: SumRow): TemplateResult =>
  html`<span title=${id}>${record ? recordLink(record, id, name) : name}</span>`;
const rateOf = ({ successful, total }: SumRow): number | null => (total === 0 ? null : (successful / total) * 100);
// A table with columns for tokens has no room for this column. The other columns imply it.
const successful = (): Column<SumRow> => ({
  name: t('Successful Requests'),
  isNumber: true,
  cell: (it) => count(it.successful),
});
const totalTokens = (it: SumRow): string => count(it.tokens);
const tokenColumns = (): readonly Column<SumRow>[] => [
  { name: t('Input Tokens'), isNumber: true, cell: (it) => count(it.input) },
  { name: t('Cached Tokens'), isNumber: true, cell: cachedWords },
  { name: t('Output Tokens'), isNumber: true, cell: (it) => count(it.output) },
];
const cachedWords = ({ cacheRead, cacheCreation }: SumRow): string =>
  cacheCreation === 0 ? count(cacheRead) : t('{0} read, {1} written', count(cacheRead), count(cacheCreation));
const tokensHead = [
  'prompt_tokens',
  'completion_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;
const csvHead = [
  'id',
  'name',
  'successful_requests',
  'failed_requests',
  'total_requests',
  'success_rate',
  'total_tokens',
  'spend',
] as const;
