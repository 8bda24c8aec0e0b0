import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { projectRoot } from '../../support/cache.ts';
import { cutTexts } from '../../support/editor/cutTexts.ts';
import { pseudo } from '../../support/editor/pseudo.ts';
import { type AdminHarness, adminKey, startAdmin } from './adminHarness.ts';

describe("the gateway's pages in a language with long words", () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
  });
  after(() => harness.close());

  it('1c-21 cut no text of a button, a heading, a tab or a chip', async () => {
    const { page, complaints, picture, close } = await harness.open('/ui/?login=success&page=keys', 'en-US');
    await speakPseudo(page);
    await page.reload();
    await page.locator('input[type=password]').fill(adminKey);
    await page.locator('button[type=submit]').click();
    const links = page.locator('nav li a');
    await links.first().waitFor();
    const cut: string[] = [];
    const seen = await links.count();
    for (let at = 0; at < seen; at++) {
      await links.nth(at).click();
      await page.waitForLoadState('networkidle');
      cut.push(...(await cutTexts(page)));
      assert.match((await page.getByRole('heading', { level: 1 }).textContent()) ?? '', /^\[.+~\]$/);
    }
    assert.ok(seen >= 10, `only ${seen} pages`);
    await picture('long-texts');
    assert.deepEqual(cut, []);
    assert.deepEqual(complaints, []);
    await close();
  });
});

/** The browser says that it is German, and what it gets is English, longer and in brackets. */
async function speakPseudo(page: Page): Promise<void> {
  const english = JSON.parse(readFileSync(join(projectRoot, 'media/l10n/bundle.l10n.json'), 'utf8')) as object;
  const body = JSON.stringify(Object.fromEntries(Object.keys(english).map((it) => [it, pseudo(it)])));
  await page.route('**/bundle.l10n.de.json', (it) => it.fulfill({ contentType: 'application/json', body }));
  await page.addInitScript(() => Object.defineProperty(navigator, 'languages', { value: ['de'] }));
}
