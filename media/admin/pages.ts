import { html, type TemplateResult } from 'lit';
import type { DetailKind } from '../../sidecar/protocol/gateway/pages/recordUse.ts';
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
import './pages/catalog.ts';
import './pages/guardrails.ts';
import './pages/invitations.ts';
import './pages/help.ts';
import './pages/keys.ts';
import './pages/logs.ts';
import './pages/models.ts';
import './pages/playground.ts';
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
  /** Who has it in the navigation at first: one person with a gateway of their own, and callers who see only their own data. */
  readonly isFor?: { readonly alone?: true; readonly own?: true };
  readonly draw: (session: Session, query: Query) => TemplateResult;
}
export interface PageGroup {
  readonly label: () => string;
  readonly pages: readonly PageEntry[];
}

/** The page of a kind of record, under the title and with the symbol of its own. */
const records = <T extends object>(id: string, kind: RecordKind<T>, isFor?: PageEntry['isFor']): PageEntry => ({
  id,
  ...(isFor && { isFor }),
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
        isFor: { alone: true, own: true },
        icon: 'graph',
        label: () => t('Usage'),
        draw: (session, query) => html`<admin-usage .session=${session} .query=${query}></admin-usage>`,
      },
      {
        id: 'logs',
        isFor: { alone: true, own: true },
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
        isFor: { alone: true, own: true },
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
        isFor: { alone: true },
        detail: 'mcp_server',
        icon: 'server-process',
        label: () => t('MCP servers'),
        draw: (session, query) => html`<admin-servers .session=${session} .query=${query}></admin-servers>`,
      },
      records('toolsets', toolsets),
      records('agents', agents, { alone: true }),
      {
        id: 'models',
        isFor: { alone: true },
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
  {
    label: () => t('Use the gateway'),
    pages: [
      {
        id: 'catalog',
        isFor: { own: true },
        icon: 'library',
        label: () => t('Catalog'),
        draw: (session, query) => html`<admin-catalog .session=${session} .query=${query}></admin-catalog>`,
      },
      {
        id: 'playground',
        isFor: { alone: true, own: true },
        icon: 'beaker',
        label: () => t('Playground'),
        draw: (session, query) => html`<admin-playground .session=${session} .query=${query}></admin-playground>`,
      },
      {
        id: 'help',
        isFor: { alone: true, own: true },
        icon: 'question',
        label: () => t('Settings and help'),
        draw: (session, query) => html`<admin-help .session=${session} .query=${query}></admin-help>`,
      },
    ],
  },
];
/**
 * The groups with the pages that somebody needs. The others are one button away.
 *
 * @param open the page that is shown: it is in the navigation, whichever it is
 */
export function groupsFor(audience: 'alone' | 'own' | 'all', open: string): readonly PageGroup[] {
  if (audience === 'all') return pageGroups;
  const isShown = (it: PageEntry) => it.isFor?.[audience] === true || it.id === open;
  return pageGroups
    .map((group) => ({ ...group, pages: group.pages.filter(isShown) }))
    .filter((group) => group.pages.length > 0);
}

const firstPage = pageGroups[0]!.pages[0]!;
export const pageOf = (id: string | undefined): PageEntry =>
  pageGroups.flatMap((it) => it.pages).find((it) => it.id === id) ?? firstPage;
