import { html, type TemplateResult } from 'lit';
import type { KeyAnswer, McpServerAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import type { GuardrailAnswer } from '../../../sidecar/protocol/gateway/guardrails/answers.ts';
import type { DetailKind } from '../../../sidecar/protocol/gateway/pages/recordUse.ts';
import { fromHost, t } from '../../shared/l10n.ts';
import { type Values, valueAt } from '../form/collect.ts';
import { draftOf } from '../form/drafts.ts';
import type { FormGroup } from '../form/formSpec.ts';
import type { Routes } from '../gateway.ts';
import type { Session } from '../kit/adminElement.ts';
import { go } from '../kit/links.ts';
import { agents } from '../pages/agents.ts';
import { budgets } from '../pages/budgets.ts';
import { endUsers } from '../pages/endUsers.ts';
import { modeWords } from '../pages/guardrails/modeNames.ts';
import { openExplain } from '../pages/keys/accessExplanation.ts';
import { keyGroups, keyName, openKeyForm } from '../pages/keys/keyForm.ts';
import { keyState } from '../pages/keys.ts';
import { modelGroups } from '../pages/models/modelForm.ts';
import { type ModelGroup, groupsOf as modelsByName } from '../pages/models/modelRows.ts';
import { modelValues } from '../pages/models/modelValues.ts';
import { organizations } from '../pages/organizations.ts';
import { blockedBadge, countBlocked } from '../pages/servers/blockedTools.ts';
import { groupsOfRow, openServerForm, serverName } from '../pages/servers/openServerForm.ts';
import { openTools } from '../pages/servers/tools.ts';
import { healthCell } from '../pages/servers.ts';
import { teams } from '../pages/teams.ts';
import { toolsets } from '../pages/toolsets.ts';
import { users } from '../pages/users.ts';
import { activeBadge } from '../records/cells.ts';
import { editRecord, valuesOf } from '../records/editRecord.ts';
import { type Lookups, readLookups, visible } from '../records/lookups.ts';
import { isConfigured } from '../records/openRecord.ts';
import type { RecordKind } from '../records/recordKind.ts';
import type { RowAction } from '../records/recordsElement.ts';
import { drawBackends } from './backends.ts';

/** A session whose page says what was done. */
export interface ActingSession extends Session {
  readonly notify: (words: string) => void;
  /** Does something, says so or why not, and reads the record again. */
  readonly act: (work: () => Promise<unknown>, done: string) => Promise<void>;
}

/** What the page of a record shows and offers. `T` is the record as the routes answer it. */
export interface DetailSpec<T extends object> {
  readonly noun: () => string;
  /** Absent where it is not there, or not for the caller to see. */
  readonly read: (routes: Routes, id: string, signal: AbortSignal) => Promise<T | undefined>;
  readonly nameOf: (row: T) => string;
  /** What its form would ask for. */
  readonly form: (lookups: Lookups, row: T, routes: Routes) => readonly FormGroup[] | Promise<readonly FormGroup[]>;
  readonly values: (row: T) => Values;
  readonly state?: (row: T, session: Session) => TemplateResult | undefined;
  /** Below the settings. */
  readonly more?: (row: T) => TemplateResult;
  readonly actions?: (row: T, session: ActingSession) => readonly RowAction[];
  /** Opens the form. Absent for what cannot be changed here. @param saved called with what to say of it */
  readonly edit?: (session: Session, row: T, saved: (words: string) => Promise<void>) => Promise<void>;
}

/** Of the kinds that say everything of themselves. @param read default: the one of the list */
function ofRecords<T extends object>(
  noun: () => string,
  kind: RecordKind<T>,
  read?: DetailSpec<T>['read'],
): DetailSpec<T> {
  return {
    noun,
    read: read ?? ((routes, id, signal) => find(kind, routes, id, signal)),
    nameOf: kind.nameOf,
    form: kind.form,
    values: (row) => valuesOf(kind, row),
    state: (row) => ('blocked' in row && row.blocked === true ? activeBadge(true) : undefined),
    actions: (row, session) => kind.actions?.(row, { session, notify: session.notify, act: session.act }) ?? [],
    edit: (session, row, saved) => editRecord(session, kind, row, saved),
  };
}

/** Records name toolsets by their names. */
async function find<T>(kind: RecordKind<T>, routes: Routes, id: string, signal: AbortSignal): Promise<T | undefined> {
  const found = await kind.list(routes, signal, {});
  const rows = 'rows' in found ? found.rows : found;
  return rows.find((it) => kind.idOf(it) === id) ?? rows.find((it) => kind.nameOf(it) === id);
}

const one = async <T>(reading: Promise<T | undefined>): Promise<T | undefined> => {
  const [found] = await visible(reading.then((it) => [it]));
  return found;
};

const keys: DetailSpec<KeyAnswer> = {
  noun: () => t('Virtual key'),
  read: (routes, id, signal) => one(routes.key(id, signal).then((it) => it.info)),
  nameOf: keyName,
  form: keyGroups,
  values: (row) => row,
  state: (row, session) => keyState(session, row),
  actions: (row, session) => [
    { id: 'explain', label: t('Explain access…'), icon: 'question', run: () => void openExplain(session, row) },
  ],
  edit: async (session, row, saved) =>
    openKeyForm(session, await readLookups(session.routes), row, () => void saved(t('{0} was saved', keyName(row)))),
};

/** A server, and how many of its tools wait for approval. */
type Server = McpServerAnswer & { readonly blocked: number };

const servers: DetailSpec<Server> = {
  noun: () => t('MCP server'),
  async read(routes, id, signal) {
    const server = await one(routes.server(id, signal));
    return server && { ...server, blocked: await countBlocked(routes, server.server_id, signal) };
  },
  nameOf: serverName,
  form: (lookups, row) => groupsOfRow(row, lookups),
  values: (row) => row,
  state: (row) => (row.blocked === 0 ? healthCell(row) : html`${healthCell(row)}${blockedBadge(row.blocked)}`),
  actions: (row, session) => [
    { id: 'tools', label: t('Tools…'), icon: 'tools', run: () => void openTools(session, row, serverName(row)) },
  ],
  edit: openServerForm,
};

/** A model, and whether the configuration file says what all of its backends are. */
type Model = ModelGroup & { readonly from_config: boolean };

const models: DetailSpec<Model> = {
  noun: () => t('Model'),
  async read(routes, id, signal) {
    const found = modelsByName(await visible(routes.models(signal))).find((it) => it.name === id);
    return found && { ...found, from_config: found.backends.every(isConfigured) };
  },
  nameOf: (it) => it.name,
  // Several backends have no settings in common.
  form: (_lookups, { backends: [backend, ...others] }) => {
    if (!backend || others.length > 0) return [];
    const values = modelValues(backend);
    return modelGroups((name) => String(draftOf('text', valueAt(values, name)) ?? ''), [], backend);
  },
  values: ({ backends: [backend] }) => (backend ? modelValues(backend) : {}),
  more: drawBackends,
  edit: async (_session, { name, backends: [backend] }) =>
    go({ page: 'models', search: name, edit: backend?.model_id ?? '' }),
};

const guardrails: DetailSpec<GuardrailAnswer> = {
  noun: () => t('Guardrail'),
  read: async (routes, id, signal) =>
    (await routes.guardrails(signal)).guardrails.find((it) => it.guardrail_name === id),
  nameOf: (it) => it.guardrail_name,
  form: () => [
    {
      title: t('Guardrail'),
      fields: [
        { name: 'description', label: t('Description'), kind: 'text' },
        { name: 'mode', label: t('Mode'), kind: 'text' },
        { name: 'default_on', label: t('Every call'), kind: 'flag' },
      ],
    },
  ],
  values: (it) => ({ ...it, mode: modeWords(it.mode), description: it.description && fromHost(it.description) }),
};

/** The page of each kind of record. Each is used only with records that itself has read. */
export const detailSpecs = {
  key: keys,
  team: ofRecords(() => t('Team'), teams),
  organization: ofRecords(() => t('Organization'), organizations),
  user: ofRecords(
    () => t('User'),
    users,
    (routes, id, signal) => one(routes.user(id, signal)),
  ),
  end_user: ofRecords(() => t('End user'), endUsers),
  budget: ofRecords(() => t('Budget'), budgets),
  mcp_server: servers,
  toolset: ofRecords(() => t('Toolset'), toolsets),
  agent: ofRecords(() => t('Agent'), agents),
  model: models,
  guardrail: guardrails,
} as const satisfies { readonly [K in DetailKind]: unknown };
