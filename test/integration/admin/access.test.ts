import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { axeViolations } from '../../support/editor/axe.ts';
import { type AdminHarness, choose, type OpenAdmin, startAdmin } from './adminHarness.ts';

const themes = [
  { name: 'light', media: { colorScheme: 'light', forcedColors: 'none', contrast: 'no-preference' } },
  { name: 'dark', media: { colorScheme: 'dark', forcedColors: 'none', contrast: 'no-preference' } },
  { name: 'high contrast light', media: { colorScheme: 'light', forcedColors: 'active', contrast: 'more' } },
  { name: 'high contrast dark', media: { colorScheme: 'dark', forcedColors: 'active', contrast: 'more' } },
] as const;

/** Lists, and a record of each whose page is looked at. */
const records = [
  ['Teams', 'Docs'],
  ['Organizations', 'Acme'],
  ['Users', 'Ada'],
  ['End users', 'The shop'],
  ['Budgets', 'small'],
  ['MCP servers', 'files'],
  ['Toolsets', 'few'],
  ['Agents', 'writer'],
  ['Virtual keys', 'docs'],
] as const;

describe("access to the gateway's pages", () => {
  let harness: AdminHarness;
  let opened: OpenAdmin;
  before(async () => {
    harness = await startAdmin();
    await harness.call('POST', '/team/new', { team_alias: 'Docs' });
    await harness.call('POST', '/user/new', { user_id: 'ada', user_alias: 'Ada', user_email: 'ada@example.com' });
    await harness.call('POST', '/organization/new', { organization_alias: 'Acme' });
    await harness.call('POST', '/customer/new', { user_id: 'shop', alias: 'The shop', max_budget: 10 });
    await harness.call('POST', '/budget/new', { budget_id: 'small', max_budget: 5 });
    const server = { transport: 'http', url: harness.backend.url, allow_private_network: true };
    await harness.call('POST', '/v1/mcp/server', { ...server, server_id: 'files', server_name: 'files' });
    const tools = [{ server_id: 'files', tool_name: 'echo' }];
    await harness.call('POST', '/v1/mcp/toolset', { toolset_name: 'few', tools });
    const agent = { agent_name: 'writer', agent_card_params: { url: harness.peer.url } };
    await harness.call('POST', '/v1/agents', { ...agent, gateway_params: { allow_private_network: true } });
    await harness.call('POST', '/key/generate', { key_alias: 'docs', max_budget: 5 });
    for (const model of ['openai/gpt-5', 'openai/gpt-5-mini'])
      await harness.call('POST', '/model/new', { model_name: 'smart', gateway_params: { model, api_key: 'key' } });
    opened = await harness.open('/ui/?login=success&page=keys');
  });
  after(() => harness.close());

  it('is judged by axe, which tells a button without a name', async () => {
    const { page, close } = await harness.open('/ui/');
    await page.getByLabel('Virtual key').waitFor();
    await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
    assert.match((await axeViolations(page)).join(), /^button-name main > button/);
    await close();
  });

  for (const { name, media } of themes)
    it(`1c-20 axe finds nothing wrong on the sign-in page in ${name}`, async () => {
      const { page, close } = await harness.open('/ui/');
      await page.emulateMedia(media);
      await page.getByLabel('Virtual key').waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await close();
    });

  for (const { name, media } of themes)
    it(`1c-20 axe finds nothing wrong on any page in ${name}`, async () => {
      const { page, signIn } = opened;
      await page.emulateMedia(media);
      if (await page.getByLabel('Virtual key').isVisible()) await signIn();
      const links = page.locator('nav li a');
      await links.first().waitFor();
      const seen = await links.count();
      assert.ok(seen >= 10, `only ${seen} pages`);
      const found: string[] = [];
      for (let at = 0; at < seen; at++) {
        await links.nth(at).click();
        await page.waitForLoadState('networkidle');
        const where = await page.getByRole('heading', { level: 1 }).textContent();
        found.push(...(await axeViolations(page)).map((it) => `${where}: ${it}`));
      }
      assert.deepEqual(found, []);
    });

  for (const { name, media } of themes)
    it(`1c-20 axe finds nothing wrong on the pages of single records in ${name}`, async () => {
      const { page, signIn } = opened;
      await page.emulateMedia(media);
      if (await page.getByLabel('Virtual key').isVisible()) await signIn();
      const found: string[] = [];
      for (const [list, record] of records) {
        await page.getByRole('link', { name: list, exact: true }).click();
        const row = page.getByRole('table').getByRole('button', { name: record, exact: true });
        await row.click();
        await page.getByRole('heading', { level: 1, name: record }).waitFor();
        await page.getByRole('heading', { level: 2, name: 'Settings' }).waitFor();
        await page.waitForLoadState('networkidle');
        found.push(...(await axeViolations(page)).map((it) => `${list}: ${it}`));
      }
      assert.deepEqual(found, []);
    });

  for (const { name, media } of themes)
    it(`1c-20 axe finds nothing wrong in the forms of models and keys in ${name}`, async () => {
      const { page, signIn } = opened;
      await page.emulateMedia(media);
      if (await page.getByRole('button', { name: 'Sign in' }).isVisible()) await signIn();
      await page.getByRole('link', { name: 'Models + Endpoints' }).click();
      await page.getByText('2 backends share its calls').waitFor();
      const found: string[] = [];
      for (const button of ['Add model', 'openai/gpt-5', /^Who can use smart/]) {
        await page.getByRole('button', { name: button, exact: typeof button === 'string' }).click();
        await page.getByRole('dialog').getByRole('heading').first().waitFor();
        found.push(...(await axeViolations(page)).map((it) => `${button}: ${it}`));
        await page.keyboard.press('Escape');
      }
      await page.getByRole('link', { name: 'Virtual keys' }).click();
      await choose(page, 'docs', 'Edit…');
      await page.locator('[data-field="object_permission.models"]').getByLabel('Selected only').check();
      found.push(...(await axeViolations(page)).map((it) => `key: ${it}`));
      await page.keyboard.press('Escape');
      assert.deepEqual(found, []);
    });
});
