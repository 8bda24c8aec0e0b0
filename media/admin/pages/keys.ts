import type { TemplateResult } from 'lit';
import type { KeyAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { isServiceAccount } from '../../../sidecar/protocol/gateway/key.ts';
import { modelWords } from '../../../sidecar/protocol/gateway/objectPermission.ts';
import { t } from '../../shared/l10n.ts';
import type { Session } from '../kit/adminElement.ts';
import { confirmDialog } from '../kit/dialog.ts';
import { day, list, moment, none } from '../kit/format.ts';
import { go } from '../kit/links.ts';
import { Loader } from '../kit/loader.ts';
import type { Column, TableSpec } from '../kit/table.ts';
import { activeBadge, badge, nameCell, spentCell } from '../records/cells.ts';
import { pageNumber, pageSize } from '../records/localList.ts';
import { readLookups, readTeamNames } from '../records/lookups.ts';
import { RecordsElement, type RowAction } from '../records/recordsElement.ts';
import { openExplain } from './keys/accessExplanation.ts';
import { keyName as nameOf, openKeyForm } from './keys/keyForm.ts';
import { openRotate } from './keys/rotate.ts';

const noteOf = (it: KeyAnswer): string => (isServiceAccount(it) ? t('{0}, service account', it.key_name) : it.key_name);

/** Virtual keys: who may call, what, how much, until when. */
class KeysElement extends RecordsElement<KeyAnswer> {
  readonly #teams = new Loader(this, (signal) => readTeamNames(this.session.routes, signal));

  protected override words() {
    return {
      title: t('Virtual keys'),
      intro: t(
        'Keys that callers use to access the gateway. Each key is shown only once, when you create it. Only its hash is stored.',
      ),
      create: t('New key'),
      icon: 'key',
      empty: t('A key lets a person, program, or agent call the gateway within the limits you set.'),
    };
  }
  protected override idOf = (it: KeyAnswer): string => it.token;
  protected override nameOf = nameOf;

  protected override firstUpdated(): void {
    void this.#teams.run();
  }

  protected override load(signal: AbortSignal) {
    const { search, sort = 'created_at', order = 'desc' } = this.query;
    const query = { page: pageNumber(this.query), size: pageSize, search, sort_by: sort, sort_order: order };
    return this.session.routes.keys(query, signal);
  }
  protected override sorted(): TableSpec<KeyAnswer>['sorted'] {
    const { sort = 'created_at', order = 'desc' } = this.query;
    return {
      by: sort,
      isDescending: order === 'desc',
      sort: (by) => this.ask({ sort: by, order: by === sort && order === 'desc' ? 'asc' : 'desc', p: '' }),
    };
  }

  protected override columns(): readonly Column<KeyAnswer>[] {
    const open = (it: KeyAnswer) => () => go({ page: 'keys', id: it.token });
    return [
      { name: t('Key'), isWide: true, sort: 'key_alias', cell: (it) => nameCell(nameOf(it), noteOf(it), open(it)) },
      {
        name: t('Team'),
        isText: true,
        cell: (it) => (it.team_id ? (this.#teams.value?.get(it.team_id) ?? it.team_id) : none),
      },
      { name: t('Access'), isText: true, cell: accessWords },
      { name: t('Spend'), isNumber: true, cell: (it) => spentCell(it.spend, it.max_budget) },
      { name: t('Created'), sort: 'created_at', cell: (it) => day(it.created_at) },
      { name: t('Expires'), sort: 'expires', cell: (it) => (it.expires ? moment(it.expires) : t('Never')) },
      { name: t('Status'), cell: (it) => keyState(this.session, it) },
    ];
  }

  protected override actions(row: KeyAnswer): readonly RowAction[] {
    const explain = {
      id: 'explain',
      label: t('Explain access…'),
      icon: 'question',
      run: () => void openExplain(this.session, row),
    };
    if (!this.session.mayWrite) return [explain];
    const name = nameOf(row);
    const isBlocked = row.blocked === true;
    const block = () =>
      void this.act(
        () => this.session.routes.blockKey(row.token, !isBlocked),
        isBlocked ? t('{0} was unblocked', name) : t('{0} was blocked', name),
      );
    const rotate = () =>
      openRotate(this.session, row.token, name, () => {
        this.notify(t('{0} was rotated', name));
        void this.list.run();
      });
    return [
      { id: 'edit', label: t('Edit…'), icon: 'edit', run: () => void this.edit(row) },
      explain,
      { id: 'rotate', label: t('Rotate…'), icon: 'sync', run: rotate },
      isBlocked
        ? { id: 'unblock', label: t('Unblock'), icon: 'pass', run: block }
        : { id: 'block', label: t('Block'), icon: 'circle-slash', run: block },
      { id: 'delete', label: t('Delete…'), icon: 'trash', run: () => this.#remove(row) },
    ];
  }

  #remove(row: KeyAnswer): void {
    confirmDialog({
      title: t('Delete "{0}"?', nameOf(row)),
      words: t(
        "The key is revoked: calls with it will be rejected. You cannot undo this. The key's log entries will be kept.",
      ),
      button: t('Delete key'),
      act: async () => {
        await this.session.routes.deleteKey(row.token);
        this.notify(t('{0} was deleted', nameOf(row)));
        await this.list.run();
      },
    });
  }

  protected override async edit(row?: KeyAnswer): Promise<void> {
    const lookups = await readLookups(this.session.routes);
    openKeyForm(this.session, lookups, row, () => {
      this.notify(row ? t('{0} was saved', nameOf(row)) : t('The key was created'));
      void this.list.run();
    });
  }
}
customElements.define('admin-keys', KeysElement);

export function keyState({ api }: Session, it: KeyAnswer): TemplateResult {
  const isOver = it.expires != null && Date.parse(it.expires) <= Date.parse(api.now);
  return isOver && !it.blocked ? badge('warn', 'watch', t('Expired')) : activeBadge(it.blocked);
}

/** What a key's own lists say; the levels above may say less. */
function accessWords({ role, team_id, object_permission: it, models: plain }: KeyAnswer) {
  if (role === 'proxy_admin') return t('All (administrator)');
  if (role === 'proxy_admin_viewer') return t('Read-only (all)');
  const tools = Object.entries(it?.mcp_tool_permissions ?? {}).map(([server, names]) => `${server}: ${list(names)}`);
  const servers = [...(it?.mcp_servers ?? []), ...(it?.mcp_access_groups ?? []), ...(it?.mcp_toolsets ?? []), ...tools];
  const agents = [...(it?.agents ?? []), ...(it?.agent_access_groups ?? [])];
  const models = [...(it?.models ?? []), ...(plain ?? [])].map((name) =>
    name === modelWords.all ? t('All models') : name === modelWords.none ? t('No models') : name,
  );
  const hasOwn =
    it?.mcp_servers ||
    it?.mcp_access_groups ||
    it?.mcp_toolsets ||
    tools.length > 0 ||
    it?.agents ||
    it?.agent_access_groups ||
    it?.models ||
    plain?.length;
  if (!hasOwn) return team_id ? t('Inherited from the team') : t('No permissions of its own');
  const names = [...models, ...servers, ...agents];
  return names.length === 0 ? t('No access') : list(names);
}
