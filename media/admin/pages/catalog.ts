import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import * as z from 'zod';
import type { AccessRequestAnswer, CatalogServer } from '../../../sidecar/protocol/gateway/pages/accessRequest.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { AdminElement, isAdministrator } from '../kit/adminElement.ts';
import { confirmDialog } from '../kit/dialog.ts';
import { count, day, list, moment, none, shortHash } from '../kit/format.ts';
import { pageLink, recordLink } from '../kit/links.ts';
import { Loader } from '../kit/loader.ts';
import { emptyState, failure } from '../kit/notice.ts';
import { pager } from '../kit/pager.ts';
import { input } from '../kit/select.ts';
import { type Column, dataTable } from '../kit/table.ts';
import { badge, breakable } from '../records/cells.ts';
import { pageLocally, pageOf, pageSize, sortingOf } from '../records/localList.ts';
import { readTeamNames, visible } from '../records/lookups.ts';
import { openForm } from '../records/openForm.ts';

const Reason = z.object({ reason: z.string().nullish() });
const Notes = z.object({ decision_notes: z.string().nullish() });

/** Requests on one page: the catalog itself stays in sight. */
const REQUESTS = 5;

/** The servers that one may use or ask for, and for administrators what was asked for. */
class CatalogElement extends AdminElement {
  readonly #servers = new Loader(this, (signal) => this.session.routes.catalog(signal));
  readonly #requests = new Loader(this, (signal) => visible(this.session.routes.accessRequests(signal)));
  readonly #teams = new Loader(this, (signal) => readTeamNames(this.session.routes, signal));

  #requestPage = 1;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#load();
  }

  async #load(): Promise<void> {
    const reading = [this.#servers.run()];
    if (this.session.info?.sees_all) reading.push(this.#requests.run(), this.#teams.run());
    await Promise.all(reading);
  }

  protected override render(): TemplateResult {
    const { value, error, isLoading } = this.#servers;
    const columns = this.#columns();
    const textOf = (it: CatalogServer) => `${it.name} ${it.description ?? ''} ${it.owners.join(' ')}`;
    const found = value && pageLocally(value, this.query, { textOf, columns });
    return html`<header class="page-head"><div><h1>${t('Catalog')}</h1>
        <p class="muted">${t('MCP servers that your key may use, and servers that you can request access to.')}</p></div></header>
      ${this.#drawRequests()}
      <div class="filters" role="search">
        ${input(t('Search'), this.query['search'] ?? '', (search) => this.ask({ search, p: '' }), { type: 'search', isWide: true })}
      </div>
      ${failure(error, () => void this.#load())}
      ${dataTable<CatalogServer>({
        label: t('Catalog'),
        rows: found?.rows,
        idOf: (it) => it.server_id,
        isLoading,
        empty: this.#empty(),
        columns,
        sorted: sortingOf(this.query, columns, (query) => this.ask(query)),
      })}
      ${found ? pager({ ...found, pageSize, go: (p) => this.ask({ p }) }) : nothing}`;
  }

  #empty(): TemplateResult {
    const { search } = this.query;
    if (search) return emptyState('search', t('Nothing found'), t('No results for "{0}".', search));
    const title = t('Nothing here yet');
    if (!isAdministrator(this.session))
      return emptyState(
        'server-process',
        title,
        t('Servers appear here when your key may use them, or when an administrator lists them in the catalog.'),
      );
    return emptyState(
      'server-process',
      title,
      t('Add an MCP server. It appears here for keys that may use it, and for all keys if you list it in the catalog.'),
      pageLink({ page: 'mcp_servers' }, t('Add an MCP server')),
    );
  }

  #columns(): readonly Column<CatalogServer>[] {
    return [
      {
        name: t('Server'),
        isWide: true,
        sort: 'name',
        sortValue: (it) => it.name,
        cell: (it) =>
          html`<span class="named is-whole"><strong>${it.name}</strong><small class="reason">${it.description ?? ''}</small></span>`,
      },
      { name: t('Health'), sort: 'health', sortValue: healthRank, cell: healthCell },
      { name: t('Owners'), isText: true, cell: (it) => breakable(list(it.owners)) },
      {
        name: t('Tools'),
        isNumber: true,
        sort: 'tools',
        sortValue: (it) => it.tools,
        cell: (it) => (it.tools === null ? none : count(it.tools)),
      },
      { name: t('Access'), sort: 'access', sortValue: accessRank, cell: (it) => this.#access(it) },
    ];
  }

  #access(it: CatalogServer): TemplateResult {
    if (it.may_use) {
      const tryIt = pageLink({ page: 'playground', server: it.server_id }, t('Try it'));
      // It is hardly worth a try while the server does not respond.
      return it.status === 'unhealthy'
        ? html`${badge('warn', 'warning', t('You may use it'))}<small class="reason">${t('It is not responding now.')} ${tryIt}</small>`
        : html`${badge('good', 'pass', t('You may use it'))}<small class="reason">${tryIt}</small>`;
    }
    if (it.request?.status === 'pending')
      return html`${badge('warn', 'watch', t('Requested'))}<small class="reason">${t('Since {0}', moment(it.request.created_at))}</small>`;
    const refused =
      it.request?.status === 'refused'
        ? html`${badge('bad', 'circle-slash', t('Refused'))}<small class="reason">${it.request.decision_notes ?? ''}</small>`
        : nothing;
    return html`${refused}<button type="button" class="button" aria-label="${t('Request access…')} ${it.name}" @click=${() => this.#ask(it)}>${t('Request access…')}</button>`;
  }

  #ask({ server_id, name }: CatalogServer): void {
    const words = {
      reason: { label: t('Reason'), kind: 'long' as const, help: t('Administrators see it with your key.') },
    };
    openForm(t('Request access to {0}', name), {
      submitLabel: t('Send the request'),
      groups: () => [{ title: '', fields: fieldsOf(Reason, words) }],
      submit: async (body) => {
        await this.session.routes.requestAccess({ ...body, server_id });
        this.notify(t('Access to {0} was requested', name));
        await this.#load();
      },
    });
  }

  /** Those that wait; what was decided is in the audit. */
  #drawRequests(): TemplateResult | typeof nothing {
    const waiting = this.#requests.value?.filter((it) => it.status === 'pending') ?? [];
    if (this.#requests.error !== undefined) return failure(this.#requests.error, () => void this.#load());
    if (waiting.length === 0) return nothing;
    const page = pageOf(waiting, this.#requestPage, REQUESTS);
    const go = (to: number) => {
      this.#requestPage = to;
      this.requestUpdate();
    };
    return html`<section class="card is-apart"><h2>${t('Requests')}</h2>
      ${dataTable<AccessRequestAnswer>({
        label: t('Requests'),
        rows: page.rows,
        idOf: (it) => it.request_id,
        isLoading: this.#requests.isLoading,
        empty: html``,
        columns: [
          { name: t('Server'), isText: true, cell: (it) => recordLink('mcp_server', it.server_id, it.server_name) },
          {
            name: t('Key'),
            isText: true,
            cell: (it) => recordLink('key', it.token, it.key_alias ?? shortHash(it.token)),
          },
          { name: t('Team'), isText: true, cell: (it) => this.#team(it.team_id) },
          { name: t('Reason'), isWide: true, cell: (it) => it.reason || none },
          { name: t('Requested'), cell: (it) => day(it.created_at) },
          { name: t('Decision'), cell: (it) => this.#decision(it) },
        ],
      })}
      ${page.totalPages > 1 ? pager({ ...page, pageSize: REQUESTS, go, label: t('Requests') }) : nothing}
    </section>`;
  }

  #team(id: string | null): TemplateResult | string {
    return id === null ? none : recordLink('team', id, this.#teams.value?.get(id) ?? id);
  }

  #decision(it: AccessRequestAnswer): TemplateResult | string {
    if (!this.session.mayWrite) return t('Waiting');
    const who = it.key_alias ?? shortHash(it.token);
    const grant = () =>
      confirmDialog({
        title: t('Let {0} use {1}?', who, it.server_name),
        words: t(
          'The key will be allowed to use all tools of the server, as far as its team and guardrails allow them.',
        ),
        button: t('Grant'),
        act: () => this.#decide(it, 'grant', {}),
      });
    const refuse = () =>
      openForm(t('Refuse the request of {0}', who), {
        submitLabel: t('Refuse'),
        groups: () => [
          {
            title: '',
            fields: fieldsOf(Notes, {
              decision_notes: { label: t('Reason'), kind: 'long', help: t('The person who asked sees it.') },
            }),
          },
        ],
        submit: (body) => this.#decide(it, 'refuse', body),
      });
    return html`<div class="exports is-row">
      <button type="button" class="button" aria-label="${t('Grant…')} ${who}, ${it.server_name}" @click=${grant}>${t('Grant…')}</button>
      <button type="button" class="button" aria-label="${t('Refuse…')} ${who}, ${it.server_name}" @click=${refuse}>${t('Refuse…')}</button>
    </div>`;
  }

  async #decide(
    { request_id, server_name }: AccessRequestAnswer,
    verb: 'grant' | 'refuse',
    body: object,
  ): Promise<void> {
    await this.session.routes.decideAccess(request_id, verb, body);
    const isGranted = verb === 'grant';
    this.notify(
      isGranted ? t('Access to {0} was granted', server_name) : t('The request for {0} was refused', server_name),
    );
    await this.#load();
  }
}
customElements.define('admin-catalog', CatalogElement);

/** What needs somebody comes first. */
const healthRank = ({ status }: CatalogServer): number => (status === 'unhealthy' ? 0 : status === 'healthy' ? 2 : 1);
/** What one may use comes first. */
const accessRank = (it: CatalogServer): number => (it.may_use ? 0 : it.request ? 1 : 2);

function healthCell({ status, last_health_check }: CatalogServer): TemplateResult {
  if (status === 'healthy') return badge('good', 'pass', t('Healthy'));
  if (status === 'unhealthy')
    return html`${badge('bad', 'error', t('Not responding'))}<small class="reason">${t('Since {0}', moment(last_health_check))}</small>`;
  return badge('quiet', 'circle-outline', t('Not checked'));
}
