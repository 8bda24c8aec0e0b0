import { html, type TemplateResult } from 'lit';
import type { DetailKind } from '../../sidecar/protocol/gateway/recordUse.ts';
import { t } from '../shared/l10n.ts';
import type { Session } from './kit/adminElement.ts';
import { agents } from './pages/agents.ts';
import { budgets } from './pages/budgets.ts';
import { endUsers } from './pages/endUsers.ts';
import { organizations } from './pages/organizations.ts';
import { teams } from './pages/teams.ts';
import { toolsets } from './pages/toolsets.ts';
import { users } from './pages/users.ts';
import { type RecordKind, recordsPage } from './records/recordKind.ts';
import './pages/alerts.ts';
import './pages/audit.ts';
import './pages/guardrails.ts';
import './pages/invitations.ts';
import './pages/keys.ts';
import './pages/logs.ts';
import './pages/models.ts';
import './pages/servers.ts';
import './pages/usage.ts';

type Query = Readonly<Record<string, string>>;
export interface PageEntry {
  /** The value of `page` in the address. */
  readonly id: string;
  readonly icon: string;
  readonly label: () => string;
  /** Its records have a page each, at `id` in the address. */
  readonly detail?: DetailKind;
  readonly draw: (session: Session, query: Query) => TemplateResult;
}
export interface PageGroup {
  readonly label: () => string;
  readonly pages: readonly PageEntry[];
}

/** The page of a kind of record, under the title and with the symbol of its own. */
const records = <T extends object>(id: string, kind: RecordKind<T>): PageEntry => ({
  id,
  icon: kind.icon,
  ...(kind.detail && { detail: kind.detail }),
  label: () => kind.words().title,
  draw: (session, query) => recordsPage(session, query, kind),
});

/** Every page, in the order of the navigation. */
export const pageGroups: readonly PageGroup[] = [
  {
    label: () => t('Activity'),
    pages: [
      {
        id: 'new_usage',
        icon: 'graph',
        label: () => t('Usage'),
        draw: (session, query) => html`<admin-usage .session=${session} .query=${query}></admin-usage>`,
      },
      {
        id: 'logs',
        icon: 'list-flat',
        label: () => t('Logs'),
        draw: (session, query) => html`<admin-logs .session=${session} .query=${query}></admin-logs>`,
      },
      {
        id: 'audit',
        icon: 'history',
        label: () => t('Audit'),
        draw: (session, query) => html`<admin-audit .session=${session} .query=${query}></admin-audit>`,
      },
      {
        id: 'alerts',
        icon: 'bell',
        label: () => t('Alerts'),
        draw: (session, query) => html`<admin-alerts .session=${session} .query=${query}></admin-alerts>`,
      },
    ],
  },
  {
    label: () => t('Access'),
    pages: [
      {
        id: 'keys',
        detail: 'key',
        icon: 'key',
        label: () => t('Virtual keys'),
        draw: (session, query) => html`<admin-keys .session=${session} .query=${query}></admin-keys>`,
      },
      records('teams', teams),
      records('organizations', organizations),
      records('users', users),
      {
        id: 'invitations',
        icon: 'mail',
        label: () => t('Invitations'),
        draw: (session, query) => html`<admin-invitations .session=${session} .query=${query}></admin-invitations>`,
      },
      records('end_users', endUsers),
      records('budgets', budgets),
    ],
  },
  {
    label: () => t('Backends'),
    pages: [
      {
        id: 'mcp_servers',
        detail: 'mcp_server',
        icon: 'server-process',
        label: () => t('MCP servers'),
        draw: (session, query) => html`<admin-servers .session=${session} .query=${query}></admin-servers>`,
      },
      records('toolsets', toolsets),
      records('agents', agents),
      {
        id: 'models',
        detail: 'model',
        icon: 'plug',
        label: () => t('Models + Endpoints'),
        draw: (session, query) => html`<admin-models .session=${session} .query=${query}></admin-models>`,
      },
      {
        id: 'guardrails',
        detail: 'guardrail',
        icon: 'shield',
        label: () => t('Guardrails'),
        draw: (session, query) => html`<admin-guardrails .session=${session} .query=${query}></admin-guardrails>`,
      },
    ],
  },
];
const firstPage = pageGroups[0]!.pages[0]!;
export const pageOf = (id: string | undefined): PageEntry =>
  pageGroups.flatMap((it) => it.pages).find((it) => it.id === id) ?? firstPage;
