import type { Page } from 'playwright-core';
import type { Filled } from '../../support/gateway/filling/fillGateway.ts';

/** Something to look at: an address, and what is done there before. */
export interface Visit {
  readonly name: string;
  /** As in the address. */
  readonly query: Readonly<Record<string, string>>;
  /** Opens a menu, a dialog, or a tab. What it waits for is there afterwards. */
  readonly act?: (page: Page) => Promise<void>;
}

const dialog = (page: Page) => page.getByRole('dialog').first();

/** The form of the button at the top of the page. */
const create = async (page: Page) => {
  await page.locator('.page-head .button.primary').first().click();
  await dialog(page).waitFor();
};

/** The dialog of the first row, behind the button with its time. */
const details = async (page: Page) => {
  await page.locator('tbody tr button.link').first().click();
  await dialog(page).waitFor();
};

const openMenu = async (page: Page) => {
  await page.locator('tbody tr .icon-button').first().click();
  await page.getByRole('menu').waitFor();
};

/** Every page of the gateway with its tabs, forms, and details, and the page of a record of each kind. */
export function visitsOf({
  teams,
  organizations,
  users,
  endUsers,
  keys,
  servers,
  agents,
  models,
}: Filled): readonly Visit[] {
  const of = (name: string, more: Readonly<Record<string, string>> = {}, act?: Visit['act'], page = name): Visit => ({
    name: [name, ...Object.values(more).filter((it) => it !== more['id'])].join('-'),
    query: { page, ...more },
    ...(act && { act }),
  });
  const named = (it: Visit, suffix: string): Visit => ({ ...it, name: `${it.name}-${suffix}` });
  const record = (page: string, id: string | undefined) => named(of(page, { id: id ?? '' }), 'record');
  const lists = ['keys', 'teams', 'organizations', 'users', 'invitations', 'end_users', 'budgets'] as const;
  const backends = ['mcp_servers', 'toolsets', 'agents', 'guardrails'] as const;
  return [
    of('new_usage'),
    ...['servers', 'models', 'agents', 'keys', 'teams', 'users', 'tags'].map((tab) => of('new_usage', { tab })),
    of('logs'),
    named(of('logs', {}, details), 'details'),
    of('logs', { status_filter: 'failure' }),
    of('audit'),
    named(of('audit', {}, details), 'details'),
    of('alerts'),
    named(of('alerts', {}, create), 'form'),
    of('alerts', { tab: 'targets' }),
    named(of('alerts', { tab: 'targets' }, create), 'form'),
    of('alerts', { tab: 'deliveries' }),
    named(of('alerts', { tab: 'deliveries' }, details), 'details'),
    ...[...lists, ...backends].flatMap((id) => [of(id), named(of(id, {}, create), 'form')]),
    named(of('keys', {}, openMenu), 'menu'),
    named(of('mcp_servers', {}, openMenu), 'menu'),
    ...['models', 'credentials', 'endpoints'].map((tab) => of('models', { tab })),
    named(of('models', {}, create), 'form'),
    record('keys', keys[1]?.token),
    record('teams', teams[0]?.team_id),
    record('organizations', organizations[0]?.organization_id),
    record('users', users[1]?.user_id),
    record('end_users', endUsers[1]?.user_id),
    record('budgets', 'team-standard'),
    record('mcp_servers', servers[0]?.server_id),
    record('toolsets', 'toolset-0'),
    record('agents', agents[0]?.agent_id),
    record('models', models[0]?.model_name),
    record('guardrails', 'no-secrets'),
    named({ ...record('keys', keys[1]?.token), act: create }, 'form'),
    named({ ...record('teams', teams[0]?.team_id), act: create }, 'form'),
    of('catalog'),
    of('playground'),
    of('help'),
  ];
}
