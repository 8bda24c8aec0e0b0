import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Frame, Page } from 'playwright-core';
import type { ChatToPage } from '../../../src/webviews/contract/chat.ts';
import { type ChatHarness, headOf, startChatHarness } from './chatHarness.ts';

/** The chat page as an editor holds it: beside a list that a person types in. */
describe('the focus of a chat page beside a list of the editor', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function beside(): Promise<{ page: Page; chat: Frame; send: (message: ChatToPage) => Promise<void> }> {
    const { page, chat } = await harness.openBeside();
    await page.getByLabel('List').focus();
    const send = (message: ChatToPage) =>
      chat.evaluate((it) => void window.dispatchEvent(new MessageEvent('message', { data: it })), message);
    return { page, chat, send };
  }
  const message = (chat: Frame) => chat.getByRole('textbox', { name: 'Message' });
  const model: ChatToPage = { type: 'model', seq: 1, model: { head: headOf(), rows: [] } };

  /** What comes to a page late, when the person is elsewhere already. */
  const late: Readonly<Record<string, ChatToPage>> = {
    'is drawn for the first time': model,
    'gets a refused text back': { type: 'compose', text: 'again', focus: true, isReturned: true },
  };
  for (const [what, comes] of Object.entries(late)) {
    it(`stays in the list when the page ${what}, and is in the message once the page has it`, async () => {
      const { page, chat, send } = await beside();
      if (comes !== model) await send(model);
      await send(comes);
      await chat.waitForFunction(() => document.querySelector('textarea')?.disabled === false);
      await chat.evaluate(() => new Promise((done) => void requestAnimationFrame(() => requestAnimationFrame(done))));
      await page.keyboard.type('x');
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'List');
      assert.equal(await page.getByLabel('List').inputValue(), 'x');
      await page.locator('iframe').evaluate((it: HTMLIFrameElement) => it.contentWindow?.focus());
      await message(chat).and(chat.locator(':focus')).waitFor();
      await page.close();
    });
  }

  it('is in the message as soon as a page is drawn that has it', async () => {
    const { page, chat, send } = await beside();
    await page.locator('iframe').evaluate((it: HTMLIFrameElement) => it.contentWindow?.focus());
    await send(model);
    await message(chat).and(chat.locator(':focus')).waitFor();
    await page.close();
  });
});
