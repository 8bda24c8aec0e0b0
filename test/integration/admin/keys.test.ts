import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, type OpenAdmin, startAdmin } from './adminHarness.ts';

describe('the page of virtual keys', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
    await harness.call('POST', '/team/new', { team_alias: 'Platform', team_id: 'platform', max_budget: 100 });
    for (let at = 1; at <= 30; at++) {
      const more =
        at % 3 === 0 ? { team_id: 'platform', max_budget: 20 } : { object_permission: { mcp_servers: ['files'] } };
      await harness.call('POST', '/key/generate', { key_alias: `build-${String(at).padStart(2, '0')}`, ...more });
    }
  });
  after(() => harness.close());

  async function openKeys(): Promise<OpenAdmin> {
    const opened = await harness.open('/ui/?page=keys');
    await opened.signIn();
    await row(opened.page, 'build-30').waitFor();
    return opened;
  }
  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) });
  async function choose(page: Page, name: string, action: string | RegExp): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  }
  const told = (page: Page, words: string) => page.getByRole('status').getByText(words).waitFor();
  async function works(key: string): Promise<number> {
    return (await harness.call('GET', '/key/info', undefined, { authorization: `Bearer ${key}` })).status;
  }
  const shownKey = (page: Page) => page.getByRole('dialog', { name: 'Copy the key now' }).locator('code').textContent();

  it('shows keys in light and in dark', async () => {
    const { picture, complaints, close } = await openKeys();
    await picture('keys');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('turns pages, sorts and searches on the gateway', async () => {
    const { page, close } = await openKeys();
    assert.equal(await page.getByRole('row').count(), 26, 'a heading and 25 keys');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('26–31 of 31').waitFor();
    await page.getByRole('columnheader', { name: 'Key' }).getByRole('button').click();
    await page
      .getByRole('columnheader', { name: 'Key', exact: true })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await page.getByLabel('Search').fill('build-07');
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    await row(page, 'build-07').waitFor();
    assert.match(page.url(), /search=build-07/, 'a reload keeps the search');
    await close();
  });

  it('makes a key that is shown once and works', async () => {
    const { page, picture, close } = await openKeys();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog', { name: 'New key' }).getByRole('button', { name: 'Create key' }).click();
    await page.getByText('This field is required.').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('release');
    await page.getByLabel('Budget', { exact: true }).fill('much');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Enter a number.').waitFor();
    await page.getByLabel('Budget', { exact: true }).fill('12.5');
    await picture('keys-new');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await shownKey(page)) ?? '';
    assert.equal(await works(key), 200);
    await picture('keys-shown-once');
    const isInPage = await page
      .getByRole('button', { name: 'I have saved it' })
      .evaluate((button: HTMLElement, secret) => {
        button.click();
        return document.documentElement.outerHTML.includes(secret);
      }, key);
    assert.equal(isInPage, false, 'the key is gone from the page as soon as the button is pressed');
    await row(page, 'release').getByText('of $12.50').waitFor();
    assert.equal((await page.content()).includes(key), false, 'the key is gone from the page');
    await close();
  });

  it("says a refusal in the gateway's words, and keeps what was entered", async () => {
    const { page, close } = await openKeys();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('build-01');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Another key already has this ID or name.').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 1, 'the form stays, with what was entered');
    assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), 'build-01');
    await page.getByRole('textbox', { name: 'Valid for' }).fill('soon');
    await page.getByRole('button', { name: 'Create key' }).click();
    const wrong = page.getByRole('textbox', { name: 'Valid for' }).and(page.locator('[aria-invalid=true]:focus'));
    await wrong.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await close();
  });

  it('changes limits and takes one away again', async () => {
    const { page, close } = await openKeys();
    await choose(page, 'build-27', 'Edit…');
    await page.getByLabel('Requests per minute', { exact: true }).fill('60');
    await page.getByLabel('Budget', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await told(page, 'build-27 was saved');
    const found = await harness.call('GET', '/key/list?key_alias=build-27&return_full_object=true');
    const { keys } = (await found.json()) as {
      keys: { rpm_limit: number; max_budget: number | null; team_id: string }[];
    };
    assert.deepEqual([keys[0]?.rpm_limit, keys[0]?.max_budget ?? null, keys[0]?.team_id], [60, null, 'platform']);
    await close();
  });

  it('chooses records by their names, and takes several budgets without JSON', async () => {
    verifies('gateway.ui.pickers');
    await harness.call('POST', '/user/new', { user_id: 'u-1', user_alias: 'Grace Hopper' });
    await harness.call('POST', '/budget/new', { budget_id: 'small', max_budget: 5 });
    const server = { server_id: 'post', server_name: 'post', transport: 'http', url: harness.backend.url };
    await harness.call('POST', '/v1/mcp/server', { ...server, allow_private_network: true });
    const { page, picture, complaints, close } = await openKeys();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('chosen');
    await dialog.getByRole('combobox', { name: 'Team' }).selectOption({ label: 'Platform' });
    await dialog.getByRole('combobox', { name: 'User' }).selectOption({ label: 'Grace Hopper' });
    await dialog.getByRole('combobox', { name: 'Named budget' }).selectOption('small');
    const budgets = dialog.getByRole('group', { name: 'Additional budgets' });
    for (const [at, { amount, period }] of [
      { amount: '5', period: '24h' },
      { amount: '20', period: '7d' },
    ].entries()) {
      await budgets.getByRole('button', { name: 'Add' }).click();
      await budgets.getByLabel('Budget', { exact: true }).nth(at).fill(amount);
      await budgets.getByLabel('Budget period').nth(at).fill(period);
    }
    await budgets.getByRole('button', { name: 'Remove row 1' }).click();
    const tools = dialog.getByRole('group', { name: 'Tools per server' });
    await tools.getByRole('checkbox', { name: 'None of its tools' }).check();
    await budgets.scrollIntoViewIfNeeded();
    await picture('keys-pickers');
    await page.getByRole('button', { name: 'Create key' }).click();
    const headers = { authorization: `Bearer ${(await shownKey(page)) ?? ''}` };
    const { info } = (await (await harness.call('GET', '/key/info', undefined, headers)).json()) as {
      info: Record<string, unknown> & { object_permission: Record<string, unknown> };
    };
    const { team_id, user_id, budget_id, budget_limits } = info;
    assert.deepEqual([team_id, user_id, budget_id], ['platform', 'u-1', 'small']);
    assert.deepEqual(
      (budget_limits as readonly object[]).map((it) => ({ ...it, reset_at: undefined })),
      [{ budget_duration: '7d', max_budget: 20, reset_at: undefined }],
    );
    assert.deepEqual(info.object_permission['mcp_tool_permissions'], { post: [] });
    assert.deepEqual(complaints, []);
    await close();
  });

  it('marks service accounts, and takes the addresses that their calls may come from', async () => {
    verifies('gateway.key.service-account');
    const { page, picture, close } = await openKeys();
    await row(page, 'build-30').getByText('service account').waitFor();
    assert.equal(await row(page, 'build-28').getByText('service account').count(), 0);
    await choose(page, 'build-24', 'Edit…');
    await page.getByText('More', { exact: true }).click();
    const addresses = page.getByLabel('Allowed IP addresses');
    await addresses.fill('127.0.0.1\n10.0.0.0/33');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be an IP address or a network').waitFor();
    await addresses.fill('127.0.0.1\n10.0.0.0/8');
    await addresses.scrollIntoViewIfNeeded();
    await picture('keys-addresses');
    await page.getByRole('button', { name: 'Save' }).click();
    await told(page, 'build-24 was saved');
    const found = await harness.call('GET', '/key/list?key_alias=build-24&return_full_object=true');
    const { keys } = (await found.json()) as { keys: { allowed_ips: unknown }[] };
    assert.deepEqual(keys[0]?.allowed_ips, ['127.0.0.1', '10.0.0.0/8']);
    await close();
  });

  it('offers the cloud agents among the agents that a key may use', async () => {
    verifies('gateway.ui.cloud-agents');
    const { page, picture, close } = await openKeys();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('clouds');
    const agents = page.getByRole('group', { name: 'Agents', exact: true });
    await agents.getByRole('radio', { name: 'Selected only' }).check();
    await agents.getByRole('checkbox', { name: 'All cloud agents' }).check();
    await agents.scrollIntoViewIfNeeded();
    await picture('keys-cloud-agents');
    await page.getByRole('button', { name: 'Create key' }).click();
    const headers = { authorization: `Bearer ${(await shownKey(page)) ?? ''}` };
    const { info } = (await (await harness.call('GET', '/key/info', undefined, headers)).json()) as {
      info: { object_permission: unknown };
    };
    assert.deepEqual((info.object_permission as { agents: unknown }).agents, ['all-cloud-agents']);
    assert.equal(await page.getByRole('dialog', { name: 'Saved, with warnings' }).count(), 0);
    await close();
  });

  it('shows what a permission names that nobody has, after it was saved', async () => {
    verifies('gateway.ui.warnings');
    await harness.call('POST', '/key/generate', {
      key_alias: 'lost',
      object_permission: { mcp_servers: ['nowhere'], agents: ['nobody'] },
    });
    const { page, picture, complaints, close } = await openKeys();
    await choose(page, 'lost', 'Edit…');
    await page.getByLabel('Requests per minute', { exact: true }).fill('60');
    await page
      .getByRole('group', { name: 'MCP access groups', exact: true })
      .getByRole('radio', { name: 'Selected only' })
      .check();
    await page.getByRole('button', { name: 'Save' }).click();
    const warned = page.getByRole('dialog', { name: 'Saved, with warnings' });
    await warned.getByText("no MCP server named 'nowhere' exists").waitFor();
    await warned.getByText("no A2A agent named 'nobody' exists").waitFor();
    await picture('keys-warnings');
    await warned.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await told(page, 'lost was saved');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('rotates a key with a time of grace in which both work', async () => {
    const made = await harness.call('POST', '/key/generate', { key_alias: 'rotated' });
    const { key: old } = (await made.json()) as { key: string };
    const { page, close } = await openKeys();
    await choose(page, 'rotated', 'Rotate…');
    await page.getByLabel('Grace period for the old key').fill('1h');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const next = (await shownKey(page)) ?? '';
    assert.notEqual(next, old);
    assert.deepEqual([await works(old), await works(next)], [200, 200]);
    await close();
  });

  it('blocks a key and lets it in again', async () => {
    const made = await harness.call('POST', '/key/generate', { key_alias: 'nightly' });
    const { key } = (await made.json()) as { key: string };
    const { page, close } = await openKeys();
    await choose(page, 'nightly', 'Block');
    await told(page, 'nightly was blocked');
    await row(page, 'nightly').getByText('Blocked').waitFor();
    assert.equal(await works(key), 401);
    await choose(page, 'nightly', 'Unblock');
    await told(page, 'nightly was unblocked');
    assert.equal(await works(key), 200);
    await close();
  });

  it('deletes a key only after asking', async () => {
    const { page, close } = await openKeys();
    await choose(page, 'build-29', 'Delete…');
    await page.getByRole('dialog', { name: 'Delete "build-29"?' }).getByRole('button', { name: 'Cancel' }).click();
    await row(page, 'build-29').waitFor();
    await choose(page, 'build-29', 'Delete…');
    await page.getByRole('button', { name: 'Delete key' }).click();
    await told(page, 'build-29 was deleted');
    await row(page, 'build-29').waitFor({ state: 'detached' });
    await close();
  });

  it('explains level by level why a key may or may not use a server', async () => {
    await harness.call('POST', '/v1/mcp/server', {
      server_id: 'mail',
      server_name: 'mail',
      transport: 'http',
      url: 'https://mcp.example.com/mcp',
    });
    const { page, picture, close } = await openKeys();
    await choose(page, 'build-28', 'Explain access…');
    const dialog = page.getByRole('dialog', { name: 'Explain access for build-28' });
    await dialog.getByRole('combobox', { name: 'MCP server' }).selectOption('mail');
    await dialog.getByRole('button', { name: 'Explain' }).click();
    const answer = dialog.getByRole('region', { name: 'Answer' });
    await answer.getByText('build-28 has no access to mail', { exact: true }).waitFor();
    await answer.getByText('The key does not allow this server.').waitFor();
    await picture('keys-explain');
    await close();
  });

  it('is worked with the keyboard alone: a key is made, seen once, copied and deleted', async () => {
    const { page, signIn, picture, close } = await harness.open('/ui/?page=keys');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn();
    await row(page, 'build-30').waitFor();
    const press = (key: string) => page.keyboard.press(key);
    /** What the focus is on, by its label or its text; it has to be seen. */
    const focused = () =>
      page.evaluate(() => {
        const it = document.activeElement as HTMLElement;
        if (it !== document.body && getComputedStyle(it).outlineStyle === 'none' && it.id !== 'content')
          throw new Error(`the focus is not seen on ${it.outerHTML.slice(0, 80)}`);
        const label = it.id ? document.querySelector(`label[for="${it.id}"]`)?.textContent : undefined;
        return (it.getAttribute('aria-label') ?? label ?? it.textContent ?? '').replace(/\s+/g, ' ').trim();
      });
    /** The page moves the focus once it has drawn what it shows. */
    const has = (name: string) => until(`the focus is on ${name}`, async () => (await focused()) === name);
    async function tabTo(name: string, key = 'Tab'): Promise<void> {
      const seen: string[] = [];
      for (let at = 0; at < 60; at++) {
        await press(key);
        const found = await focused();
        if (found === name) return;
        seen.push(found);
      }
      assert.fail(`no way to ${name} by ${key}: ${seen.join(', ')}`);
    }
    await tabTo('New key');
    await press('Enter');
    await page.getByRole('dialog', { name: 'New key' }).waitFor();
    await has('Name (required)');
    await page.keyboard.type('by-keyboard');
    await press('Enter');
    await page.getByRole('dialog', { name: 'Copy the key now' }).waitFor();
    await has('Copy Your new key');
    const key = (await shownKey(page)) ?? '';
    await press('Enter');
    await page.getByRole('button', { name: 'Copy Your new key' }).getByText('Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
    assert.equal(await works(key), 200);
    await picture('keys-by-keyboard');
    await tabTo('I have saved it');
    await press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await has('New key'); // where it began

    await tabTo('Actions for by-keyboard');
    await press('Enter');
    await page.getByRole('menuitem').and(page.locator(':focus')).waitFor();
    await press('End');
    await picture('keys-menu');
    await press('Enter');
    await page.getByRole('dialog', { name: 'Delete "by-keyboard"?' }).waitFor();
    await has('Cancel'); // what does no harm is offered first
    await tabTo('Delete key');
    await picture('keys-delete');
    await press('Enter');
    await told(page, 'by-keyboard was deleted');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await works(key), 401);
    await until('the focus is in the page', () => page.evaluate(() => document.activeElement?.id === 'content'));
    await close();
  });

  it('keeps the headings in sight while a long list is scrolled', async () => {
    const { page, picture, close } = await openKeys();
    await page.getByRole('button', { name: 'Next page' }).scrollIntoViewIfNeeded();
    const heading = await page.getByRole('columnheader', { name: 'Status' }).boundingBox();
    assert.equal(Math.round(heading?.y ?? -1), 0);
    await picture('keys-scrolled');
    await close();
  });

  it('lets a key that may only look change nothing', async () => {
    const made = await harness.call('POST', '/key/generate', { key_alias: 'viewer', role: 'proxy_admin_viewer' });
    const { key } = (await made.json()) as { key: string };
    const { page, signIn, close } = await harness.open('/ui/?page=keys');
    await signIn(key);
    await page.getByText('build-30').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New key' }).count(), 0);
    await page.getByRole('button', { name: 'Actions for build-30' }).click();
    assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Explain access…']);
    await close();
  });
});
