import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { axeViolations } from '../../support/editor/axe.ts';
import { type AdminHarness, choose, type OpenAdmin, startAdmin } from './adminHarness.ts';

const themes = [
  { name: 'light', media: { colorScheme: 'light', forcedColors: 'none', contrast: 'no-preference' } },
  { name: 'dark', media: { colorScheme: 'dark', forcedColors: 'none', contrast: 'no-preference' } },
  { name: 'high contrast light', media: { colorScheme: 'light', forcedColors: 'active', contrast: 'more' } },
  { name: 'high contrast dark', media: { colorScheme: 'dark', forcedColors: 'active', contrast: 'more' } },
] as const;

/** As the editor writes them into a webview: its usual themes, and one that says nothing of the borders of fields. */
const editorThemes = [
  { name: 'Light Modern', border: '#cecece', background: '#ffffff', foreground: '#3b3b3b' },
  { name: 'Dark Modern', border: '#3c3c3c', background: '#1f1f1f', foreground: '#cccccc' },
  { name: 'Light', border: undefined, background: '#ffffff', foreground: '#616161' },
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

  for (const { name, ...colors } of editorThemes)
    it(`draws the borders of fields so that they are seen in an editor with the theme ${name}`, async () => {
      const { page, close } = await harness.open('/ui/?page=keys');
      await page.getByLabel('Virtual key').waitFor();
      const contrast = await page.evaluate(({ border, background, foreground }) => {
        const root = document.documentElement;
        delete root.dataset['place'];
        root.style.setProperty('--vscode-foreground', foreground);
        if (border) root.style.setProperty('--vscode-input-border', border);
        const canvas = document.createElement('canvas').getContext('2d')!;
        const lightness = (...colors: readonly string[]) => {
          for (const it of colors) {
            canvas.fillStyle = it;
            canvas.fillRect(0, 0, 1, 1);
          }
          const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((it) =>
            it <= 10 ? it / 255 / 12.92 : ((it / 255 + 0.055) / 1.055) ** 2.4,
          );
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
        };
        const drawn = lightness(background, getComputedStyle(document.querySelector('.field')!).borderTopColor);
        const behind = lightness(background);
        return Math.max(drawn, behind) / Math.min(drawn, behind);
      }, colors);
      assert.ok(contrast >= 3, `a contrast of ${contrast}`);
      await close();
    });

  const onSignIn = once(async (found) => {
    const { page, close } = await harness.open('/ui/');
    await page.getByLabel('Virtual key').waitFor();
    await lookInEachTheme(page, 'sign-in', found);
    await close();
  });

  const onPages = once(async (found) => {
    const { page } = opened;
    await begin();
    const links = page.locator('nav li a');
    await links.first().waitFor();
    const seen = await links.count();
    assert.ok(seen >= 10, `only ${seen} pages`);
    for (let at = 0; at < seen; at++) {
      await links.nth(at).click();
      await page.waitForLoadState('networkidle');
      const where = await page.getByRole('heading', { level: 1 }).textContent();
      await lookInEachTheme(page, where ?? '', found);
    }
  });

  const onRecords = once(async (found) => {
    const { page } = opened;
    await begin();
    for (const [list, record] of records) {
      await page.getByRole('link', { name: list, exact: true }).click();
      const row = page.getByRole('table').getByRole('button', { name: record, exact: true });
      await row.click();
      await page.getByRole('heading', { level: 1, name: record }).waitFor();
      await page.getByRole('heading', { level: 2, name: 'Settings' }).waitFor();
      await page.waitForLoadState('networkidle');
      await lookInEachTheme(page, list, found);
    }
  });

  const inForms = once(async (found) => {
    const { page } = opened;
    await begin();
    await page.getByRole('link', { name: 'Models + Endpoints' }).click();
    await page.getByText('2 backends share its calls').waitFor();
    for (const button of ['Add model', 'openai/gpt-5', /^Who can use smart/]) {
      await page.getByRole('button', { name: button, exact: typeof button === 'string' }).click();
      await page.getByRole('dialog').getByRole('heading').first().waitFor();
      await lookInEachTheme(page, String(button), found);
      await page.keyboard.press('Escape');
    }
    await page.getByRole('link', { name: 'Virtual keys' }).click();
    await choose(page, 'docs', 'Edit…');
    await page.locator('[data-field="object_permission.models"]').getByLabel('Selected only').check();
    await lookInEachTheme(page, 'key', found);
    await page.keyboard.press('Escape');
  });

  /** Signs in, unless a test before did. */
  async function begin(): Promise<void> {
    const { page, signIn } = opened;
    if (await page.getByLabel('Virtual key').isVisible()) await signIn();
  }

  for (const { where, look } of [
    { where: 'on the sign-in page', look: onSignIn },
    { where: 'on any page', look: onPages },
    { where: 'on the pages of single records', look: onRecords },
    { where: 'in the forms of models and keys', look: inForms },
  ])
    for (const { name } of themes)
      it(`1c-20 axe finds nothing wrong ${where} in ${name}`, async function () {
        this.timeout(240_000); // the first of the four looks in all themes
        assert.deepEqual((await look()).get(name), []);
      });
});

/** What axe finds by the name of a theme; nothing in a theme in which nobody looked. */
type Found = Map<string, string[]>;

/** Looks when the first test asks, for the tests of all themes: each page is opened once. */
function once(look: (found: Found) => Promise<void>): () => Promise<Found> {
  let looked: Promise<Found> | undefined;
  return () => {
    const found: Found = new Map();
    looked ??= look(found).then(() => found);
    return looked;
  };
}

/** Has axe judge what the page shows now, in one theme after the other. */
async function lookInEachTheme(page: Page, where: string, found: Found): Promise<void> {
  for (const { name, media } of themes) {
    await page.emulateMedia(media);
    // What follows the theme in the page is drawn with the next frame.
    await page.evaluate(
      () => new Promise((drawn) => void requestAnimationFrame(() => void requestAnimationFrame(drawn))),
    );
    const them = (await axeViolations(page)).map((it) => `${where}: ${it}`);
    found.set(name, [...(found.get(name) ?? []), ...them]);
  }
}
