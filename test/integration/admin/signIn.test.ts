import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { until } from '../../support/until.ts';
import { type AdminHarness, adminKey, startAdmin } from './adminHarness.ts';

describe("signing in to the gateway's pages", () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
  });
  after(() => harness.close());

  it('says what is wrong with a key, and keeps what was asked for until one is right', async () => {
    const { page, picture, signIn, complaints, close } = await harness.open('/ui/?login=success&page=keys');
    await page.getByLabel('Virtual key').fill('sk-nobody-knows-this-key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const words = await page.getByRole('alert').textContent();
    assert.match(words ?? '', /key/i);
    await picture('sign-in');
    await signIn();
    await page.getByRole('heading', { level: 1, name: 'Virtual keys' }).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  it('is there also in a browser that gives no language tag for its language', async () => {
    const { page, complaints, close } = await harness.open('/ui/?login=success&page=new_usage', 'en-US@posix');
    assert.equal(await page.evaluate(() => Intl.getCanonicalLocales(navigator.language).length), 1);
    await page.getByLabel('Virtual key').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  for (const { locale, button, language } of [
    { locale: 'de-AT', button: 'Anmelden', language: 'de' },
    { locale: 'zh-CN', button: '登录', language: 'zh-cn' },
    { locale: 'fr', button: 'Sign in', language: 'en' },
  ])
    it(`1c-21 speaks ${language} to a browser whose language is ${locale}`, async () => {
      const { page, picture, complaints, close } = await harness.open('/ui/?login=success&page=keys', locale);
      await page.getByRole('button', { name: button, exact: true }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.lang), language);
      await picture(`sign-in-${language}`);
      assert.deepEqual(complaints, []);
      await close();
    });

  it('leaves no trace of the key in the page, its storage or what scripts can read', async () => {
    const { page, signIn, close } = await harness.open('/ui/');
    await signIn();
    const found = await page.evaluate(() =>
      JSON.stringify([
        document.cookie,
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        document.documentElement.outerHTML,
      ]),
    );
    assert.equal(found.includes(adminKey), false);
    await close();
  });

  it('stays signed in over a reload, and not after signing out', async () => {
    const { page, signIn, close } = await harness.open('/ui/?page=teams');
    await signIn();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Virtual key').waitFor();
    await page.reload();
    await page.getByLabel('Virtual key').waitFor();
    await close();
  });

  it('asks for a key again once the one that signed in is blocked', async () => {
    const made = await harness.call('POST', '/key/generate', { key_alias: 'leaver', role: 'proxy_admin' });
    const { key } = (await made.json()) as { key: string };
    const { page, signIn, close } = await harness.open('/ui/?page=teams');
    await signIn(key);
    await harness.call('POST', '/key/block', { key });
    const said = page.getByRole('alert').getByText(/^You were signed out/);
    // What the page was still reading may be refused before the click, and then the link is gone.
    const look = async () => {
      if (await said.isVisible()) return true;
      await page.getByRole('link', { name: 'Virtual keys' }).click({ timeout: 2_000 });
      return false;
    };
    await until('the page asks for a key', look, { everyMs: 100 });
    await close();
  });

  it('reaches every page with the keyboard alone, the focus always in sight', async () => {
    const { page, signIn, close } = await harness.open('/ui/?page=teams');
    await signIn();
    const names = await page.getByRole('navigation', { name: 'Gateway pages' }).getByRole('link').allInnerTexts();
    assert.equal(names.length, 19);
    const seen: string[] = [];
    for (let tabs = 0; tabs < 30 && seen.length < names.length; tabs++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { activeElement: it } = document;
        const isSeen = it !== null && getComputedStyle(it).outlineStyle !== 'none';
        return {
          words: it?.textContent?.trim() ?? '',
          isLink: it?.closest('nav') !== null && it?.tagName === 'A',
          isSeen,
        };
      });
      if (!focused.isLink) continue;
      assert.ok(focused.isSeen, `the focus is not seen on ${focused.words}`);
      seen.push(focused.words);
    }
    assert.deepEqual(seen, names);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: names.at(-1)! }).waitFor();
    await close();
  });
});
