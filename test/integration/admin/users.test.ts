import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { type AdminHarness, startAdmin } from './adminHarness.ts';

describe('the page of users', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
    await harness.call('POST', '/team/new', { team_id: 'platform', team_alias: 'Platform' });
  });
  after(() => harness.close());

  async function openUsers() {
    const opened = await harness.open('/ui/?page=users');
    await opened.signIn();
    await opened.page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    return opened;
  }
  const field = (page: Page, name: string) => page.getByRole('dialog').getByRole('textbox', { name, exact: true });
  async function choose(page: Page, name: string, action: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  }
  async function info(id: string) {
    const answer = await harness.call('GET', `/user/info?user_id=${id}`);
    return (await answer.json()) as {
      user_info: { user_role?: string; max_budget?: number; blocked?: boolean } | null;
      teams: { team_id: string }[];
    };
  }

  it('makes a person with a role, a budget and a team, and changes the role', async () => {
    const { page, picture, complaints, close } = await openUsers();
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    await picture('users-empty');
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('This field is required.').waitFor();
    await field(page, 'ID').fill('ada');
    await field(page, 'Name').fill('Ada Lovelace');
    await field(page, 'Email address').fill('ada@example.com');
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Platform' }).check();
    await field(page, 'Budget').fill('25');
    await picture('users-new');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Ada Lovelace', exact: true }).waitFor();
    const made = await info('ada');
    assert.deepEqual(
      [made.user_info?.user_role, made.user_info?.max_budget, made.teams.map((it) => it.team_id)],
      ['internal_user', 25, ['platform']],
    );

    await choose(page, 'Ada Lovelace', 'Edit…');
    await page.getByRole('dialog').getByLabel('Dashboard role').selectOption('proxy_admin_viewer');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('Ada Lovelace was saved').waitFor();
    await page.getByRole('row', { name: /Ada/ }).getByText('Viewer', { exact: true }).waitFor();
    assert.equal((await info('ada')).user_info?.user_role, 'proxy_admin_viewer');
    await picture('users');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('finds people by name and by role on the gateway', async () => {
    await harness.call('POST', '/user/new', { user_id: 'grace', user_alias: 'Grace', user_role: 'internal_user' });
    const { page, close } = await openUsers();
    await page.getByLabel('Search').fill('grac');
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByLabel('Role').selectOption({ label: 'Viewer' });
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByText('1–2 of 2').waitFor();
    await close();
  });

  it('blocks a person with all keys, lets them in again, and deletes them with their keys', async () => {
    await harness.call('POST', '/user/new', { user_id: 'leaver', user_alias: 'Leaver' });
    const made = await harness.call('POST', '/key/generate', { key_alias: 'of-leaver', user_id: 'leaver' });
    const { key } = (await made.json()) as { key: string };
    const status = async () =>
      (await harness.call('GET', '/key/info', undefined, { authorization: `Bearer ${key}` })).status;
    const { page, close } = await openUsers();
    assert.equal(await status(), 200);
    await choose(page, 'Leaver', 'Block');
    await page
      .getByRole('row', { name: /Leaver/ })
      .getByText('Blocked')
      .waitFor();
    const refused = await harness.call('GET', '/key/info', undefined, { authorization: `Bearer ${key}` });
    assert.equal(refused.status, 401);
    assert.match(await refused.text(), /This virtual key's user is blocked/);
    await choose(page, 'Leaver', 'Unblock');
    await page.getByRole('status').getByText('Leaver was unblocked').waitFor();
    assert.equal(await status(), 200);
    await choose(page, 'Leaver', 'Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('status').getByText('Leaver was deleted').waitFor();
    assert.equal(await status(), 401);
    await close();
  });
});
