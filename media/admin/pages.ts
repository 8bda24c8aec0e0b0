import { html, type TemplateResult } from 'lit';
import { t } from '../shared/l10n.ts';
import type { Session } from './kit/adminElement.ts';
import './pages/agents.ts';
import './pages/audit.ts';
import './pages/budgets.ts';
import './pages/endUsers.ts';
import './pages/guardrails.ts';
import './pages/keys.ts';
import './pages/logs.ts';
import './pages/models.ts';
import './pages/organizations.ts';
import './pages/servers.ts';
import './pages/teams.ts';
import './pages/toolsets.ts';
import './pages/usage.ts';
import './pages/users.ts';

type Query = Readonly<Record<string, string>>;
export interface PageEntry {
  /** The value of `page` in the address. */
  readonly id: string;
  readonly icon: string;
  readonly label: () => string;
  readonly draw: (session: Session, query: Query) => TemplateResult;
}
export interface PageGroup {
  readonly label: () => string;
  readonly pages: readonly PageEntry[];
}

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
    ],
  },
  {
    label: () => t('Access'),
    pages: [
      {
        id: 'keys',
        icon: 'key',
        label: () => t('Virtual keys'),
        draw: (session, query) => html`<admin-keys .session=${session} .query=${query}></admin-keys>`,
      },
      {
        id: 'teams',
        icon: 'organization',
        label: () => t('Teams'),
        draw: (session, query) => html`<admin-teams .session=${session} .query=${query}></admin-teams>`,
      },
      {
        id: 'organizations',
        icon: 'home',
        label: () => t('Organisations'),
        draw: (session, query) => html`<admin-organizations .session=${session} .query=${query}></admin-organizations>`,
      },
      {
        id: 'users',
        icon: 'account',
        label: () => t('Users'),
        draw: (session, query) => html`<admin-users .session=${session} .query=${query}></admin-users>`,
      },
      {
        id: 'end_users',
        icon: 'person',
        label: () => t('End users'),
        draw: (session, query) => html`<admin-end-users .session=${session} .query=${query}></admin-end-users>`,
      },
      {
        id: 'budgets',
        icon: 'credit-card',
        label: () => t('Budgets'),
        draw: (session, query) => html`<admin-budgets .session=${session} .query=${query}></admin-budgets>`,
      },
    ],
  },
  {
    label: () => t('Backends'),
    pages: [
      {
        id: 'mcp_servers',
        icon: 'server-process',
        label: () => t('MCP servers'),
        draw: (session, query) => html`<admin-servers .session=${session} .query=${query}></admin-servers>`,
      },
      {
        id: 'toolsets',
        icon: 'layers',
        label: () => t('Toolsets'),
        draw: (session, query) => html`<admin-toolsets .session=${session} .query=${query}></admin-toolsets>`,
      },
      {
        id: 'agents',
        icon: 'robot',
        label: () => t('Agents'),
        draw: (session, query) => html`<admin-agents .session=${session} .query=${query}></admin-agents>`,
      },
      {
        id: 'models',
        icon: 'plug',
        label: () => t('Models + Endpoints'),
        draw: (session, query) => html`<admin-models .session=${session} .query=${query}></admin-models>`,
      },
      {
        id: 'guardrails',
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
