import { html, nothing, type TemplateResult } from 'lit';
import type { McpServerAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../shared/l10n.ts';
import { confirmDialog } from '../kit/dialog.ts';
import { list, moment, none } from '../kit/format.ts';
import { go } from '../kit/links.ts';
import type { Column } from '../kit/table.ts';
import { badge, nameCell } from '../records/cells.ts';
import { pageLocally } from '../records/localList.ts';
import { visible } from '../records/lookups.ts';
import { RecordsElement, type RowAction } from '../records/recordsElement.ts';
import { transportWords } from './servers/apiFields.ts';
import { authWords } from './servers/authFields.ts';
import { blockedBadge, readBlocked } from './servers/blockedTools.ts';
import { serverName as nameOf, openServerForm } from './servers/openServerForm.ts';
import { openTools } from './servers/tools.ts';

/** Tool servers: how they fare, how we sign in to them, what they offer, and a way to try a tool. */
class ServersElement extends RecordsElement<McpServerAnswer> {
  /** How many tools of each server wait for approval. */
  #blocked: ReadonlyMap<string, number> = new Map();

  protected override words() {
    return {
      title: t('MCP servers'),
      intro: t(
        "Servers whose tools callers can use through this gateway. The servers' credentials never leave the gateway.",
      ),
      create: t('Add server'),
      icon: 'server-process',
      empty: t('Add a server by entering its address or a command for the gateway to run.'),
    };
  }
  protected override idOf = (it: McpServerAnswer): string => it.server_id;
  protected override nameOf = nameOf;

  /** The list is drawn at once; how servers fare comes after, since it has to be asked of each. */
  protected override async load(signal: AbortSignal) {
    const { routes } = this.session;
    const active = await routes.servers(signal);
    const waiting = this.session.mayWrite ? await visible(routes.submissions(signal)) : [];
    const all = [...waiting.filter((it) => it.approval_status !== 'active'), ...active];
    const textOf = (it: McpServerAnswer) => `${nameOf(it)} ${it.server_id} ${it.url ?? ''} ${it.spec_path ?? ''}`;
    const page = pageLocally(all, this.query, { textOf, columns: this.columns() });
    if (page.rows.some((it) => this.#isUnknown(it))) void this.#health(signal);
    if (this.#seesAll) void this.#findBlocked(page.rows, signal);
    return page;
  }

  /** Whoever sees all is told the tools of a server that lists them: after a start they are not known yet. */
  #isUnknown({ status, tools }: McpServerAnswer): boolean {
    return status == null || status === 'unknown' || (status === 'healthy' && !tools && this.#seesAll);
  }
  get #seesAll(): boolean {
    return this.session.info?.sees_all === true;
  }

  async #findBlocked(rows: readonly McpServerAnswer[], signal: AbortSignal): Promise<void> {
    const ids = rows.map((it) => it.server_id);
    const found = await readBlocked(this.session.routes, ids, signal).catch(() => undefined);
    if (!found || signal.aborted) return;
    this.#blocked = found;
    this.requestUpdate();
  }

  async #health(signal: AbortSignal): Promise<void> {
    const { routes } = this.session;
    const known = await routes.serverHealth(signal).catch(() => undefined);
    // Whoever answered has listed its tools, and the list says which.
    const listed = known && this.#seesAll ? await routes.servers(signal).catch(() => []) : [];
    const { value } = this.list;
    if (!known || !value || signal.aborted) return;
    const byId = new Map(known.map((it) => [it.server_id, it]));
    const toolsById = new Map(listed.map((it) => [it.server_id, it.tools]));
    const withFound = (it: McpServerAnswer): McpServerAnswer => ({
      ...it,
      ...byId.get(it.server_id),
      tools: toolsById.get(it.server_id) ?? it.tools,
    });
    this.list.value = { ...value, rows: value.rows.map(withFound) };
    this.requestUpdate();
  }

  protected override columns(): readonly Column<McpServerAnswer>[] {
    const open = (it: McpServerAnswer) => () => go({ page: 'mcp_servers', id: it.server_id });
    return [
      {
        name: t('Server'),
        isWide: true,
        sort: 'name',
        sortValue: nameOf,
        cell: (it) => nameCell(nameOf(it), it.url ?? it.spec_path ?? it.command ?? undefined, open(it)),
      },
      {
        name: t('Health'),
        isText: true,
        sort: 'health',
        sortValue: healthRank,
        cell: (it) => html`${healthCell(it)}${this.#blockedNote(it)}${circuitNote(it)}${processesNote(it)}`,
      },
      { name: t('Transport'), sort: 'transport', sortValue: transportWords, cell: transportWords },
      { name: t('Authentication'), sort: 'auth', sortValue: authWords, cell: authWords },
      { name: t('Groups'), isText: true, cell: (it) => list(it.mcp_access_groups) },
      {
        name: t('Tools'),
        isText: true,
        sort: 'tools',
        sortValue: (it) => offeredTools(it)?.length,
        cell: (it) => toolsWords(it) ?? (this.#seesAll ? t('Not listed yet') : none),
      },
    ];
  }

  #blockedNote({ server_id }: McpServerAnswer): TemplateResult | typeof nothing {
    const count = this.#blocked.get(server_id);
    return count === undefined ? nothing : blockedBadge(count);
  }

  protected override actions(row: McpServerAnswer): readonly RowAction[] {
    const tools = {
      id: 'tools',
      label: t('Tools…'),
      icon: 'tools',
      run: () => void openTools(this.session, row, nameOf(row)),
    };
    const look = {
      id: 'look',
      label: t('View…'),
      icon: 'eye',
      run: () => go({ page: 'mcp_servers', id: row.server_id }),
    };
    if (!this.session.mayWrite || row.from_config) return [tools, look];
    const { routes } = this.session;
    const name = nameOf(row);
    const pin = (isPinned: boolean) =>
      void this.act(
        () => routes.pinServer(row.server_id, isPinned),
        isPinned ? t('The current tools on {0} are approved', name) : t('The tools on {0} are no longer pinned', name),
      );
    const review = (verdict: 'approve' | 'reject') =>
      void this.act(
        () => routes.reviewServer(row.server_id, verdict),
        verdict === 'approve' ? t('{0} was approved', name) : t('{0} was rejected', name),
      );
    const waits = row.approval_status === 'pending_review';
    return [
      tools,
      { id: 'edit', label: t('Edit…'), icon: 'edit', run: () => void this.edit(row) },
      ...(waits
        ? [
            { id: 'approve', label: t('Approve'), icon: 'pass', run: () => review('approve') },
            { id: 'reject', label: t('Reject'), icon: 'circle-slash', run: () => review('reject') },
          ]
        : []),
      {
        id: 'pin',
        label: t('Approve current tools'),
        description: t('Tools that change later are blocked until you approve them again.'),
        icon: 'pin',
        run: () => pin(true),
      },
      { id: 'unpin', label: t('Stop pinning tools'), icon: 'pinned', run: () => pin(false) },
      { id: 'delete', label: t('Delete…'), icon: 'trash', run: () => this.#remove(row) },
    ];
  }

  #remove(row: McpServerAnswer): void {
    confirmDialog({
      title: t('Delete "{0}"?', nameOf(row)),
      words: t('All callers will lose access to its tools. Its credentials will be deleted.'),
      button: t('Delete server'),
      act: async () => {
        await this.session.routes.deleteServer(row.server_id);
        this.notify(t('{0} was deleted', nameOf(row)));
        await this.list.run();
      },
    });
  }

  protected override edit(row?: McpServerAnswer): Promise<void> {
    return openServerForm(this.session, row, async (words) => {
      this.notify(words);
      await this.list.run();
    });
  }
}
customElements.define('admin-servers', ServersElement);

export function healthCell(it: McpServerAnswer) {
  if (it.approval_status === 'pending_review') return badge('warn', 'watch', t('Waiting for approval'));
  if (it.approval_status === 'rejected') return badge('bad', 'circle-slash', t('Rejected'));
  if (it.status === 'healthy') return badge('good', 'pass', t('Healthy'));
  if (it.status === 'unhealthy')
    return html`${badge('bad', 'error', t('Not responding'))}<small class="reason">${it.health_check_error || t('Since {0}', moment(it.last_health_check))}</small>`;
  if (!it.health_check_error) return badge('quiet', 'circle-outline', t('Not checked'));
  return html`${badge('quiet', 'circle-outline', t('Unknown'))}<small class="reason">${it.health_check_error}</small>`;
}

/** How many processes of a stdio server run on the replica that answered. */
function processesNote({ processes }: McpServerAnswer) {
  if (!processes || processes.count === 0) return '';
  const { count, memory_bytes } = processes;
  const words = count === 1 ? t('1 process') : t('{0} processes', count);
  const memory = memory_bytes > 0 ? t('{0} MB of memory', Math.round(memory_bytes / 1_000_000)) : undefined;
  return html`<small class="reason">${memory === undefined ? words : `${words}, ${memory}`}</small>`;
}

/** Whether the replica that answered sends requests to a server that failed. */
function circuitNote({ circuit }: McpServerAnswer) {
  if (!circuit || circuit.state === 'closed') return '';
  const seconds = Math.ceil((circuit.retry_after_ms ?? 0) / 1_000);
  const words =
    circuit.state === 'open'
      ? t('Too many requests failed. The next one is sent in {0} s.', seconds)
      : t('Too many requests failed. The next one is sent to try again.');
  return html`${badge('warn', 'debug-disconnect', t('Circuit open'))}<small class="reason">${words}</small>`;
}

/** What needs somebody comes first. */
function healthRank({ approval_status, status }: McpServerAnswer): number {
  if (approval_status === 'pending_review') return 0;
  if (status === 'unhealthy') return 1;
  if (approval_status === 'rejected') return 3;
  return status === 'healthy' ? 4 : 2;
}

/** The tools that it listed last, without those that callers may not get. */
function offeredTools({ allowed_tools, disallowed_tools, tools }: McpServerAnswer): readonly string[] | undefined {
  const only = allowed_tools?.length ? allowed_tools : undefined;
  return tools?.filter((it) => (!only || only.includes(it)) && !disallowed_tools?.includes(it));
}

/** What callers may get of it; of what it listed last, how many that are. Nothing where neither is known. */
function toolsWords(server: McpServerAnswer): string | undefined {
  const { allowed_tools, disallowed_tools, tools } = server;
  const only = allowed_tools?.length ? allowed_tools : undefined;
  const offered = offeredTools(server);
  const rule = only
    ? t('Only {0}', list(only))
    : disallowed_tools?.length
      ? t('All except {0}', list(disallowed_tools))
      : undefined;
  if (!tools || !offered) return rule;
  const count = offered.length === tools.length ? `${tools.length}` : t('{0} of {1}', offered.length, tools.length);
  return rule === undefined ? count : `${count}: ${rule}`;
}
