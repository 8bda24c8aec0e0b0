import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ChatHead, ChatTab, Row } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, startChatHarness } from './chatHarness.ts';

const [main, side] = ['host-chat:/1', 'host-chat:/2'];
const tabs: readonly ChatTab[] = [
  { id: main, title: 'Dates', state: 'idle', isMain: true },
  { id: side, title: 'Why?', state: 'needsYou' },
];
const turn = (id: string, prompt: string, answer: string): Row[] => [
  { kind: 'prompt', id: `${id}/p`, turnId: id, text: prompt, attachments: [] },
  { kind: 'markdown', id: `${id}/0`, turnId: id, text: answer },
];
const long = Array.from({ length: 40 }, (_, n) => turn(`m${n}`, `Question ${n}`, 'One\n\ntwo\n\nthree')).flat();

describe('1a-15 the tabs of the chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(more: Partial<ChatHead> = {}) {
    const opened = await harness.open();
    let seq = 0;
    const showChat = (chat: string, rows: readonly Row[], draft = '') => {
      const head = headOf({ chats: tabs, canAddChat: true, chat, ...more });
      const composer = { ...head.composer, draft };
      return opened.send({ type: 'model', seq: ++seq, model: { head: { ...head, composer }, rows } });
    };
    await showChat(main, long);
    const tab = (name: string | RegExp) => opened.page.getByRole('tab', { name });
    await tab('Dates').waitFor();
    return { ...opened, showChat, tab, field: opened.page.getByRole('textbox', { name: 'Message' }) };
  }

  it('name each chat with what goes on in it, and show the chosen one', async () => {
    const { page, tab, said, complaints } = await show();
    assert.deepEqual(await page.getByRole('tab').evaluateAll((all) => all.map((it) => it.getAttribute('aria-label'))), [
      'Dates',
      'Why?, needs your input',
    ]);
    await page.getByRole('tab', { selected: true, name: 'Dates' }).waitFor();
    await tab(/Why/).click();
    await tab('Dates').click();
    assert.deepEqual(await said('chat'), [{ type: 'chat', chat: side, what: 'show' }]);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('are one stop of the Tab key, with arrows from one to the next', async () => {
    const { page, tab, said } = await show();
    await tab('Dates').focus();
    await page.keyboard.press('ArrowRight');
    await tab(/Why/).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await tab('Dates').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.press('F2');
    await page.keyboard.press('Delete');
    assert.deepEqual(
      (await said('chat')).map((it) => it.what),
      ['show', 'rename', 'close'],
    );
    await page.keyboard.press('Home');
    await page.keyboard.press('Delete');
    assert.equal((await said('chat')).length, 3, 'the first chat stays');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'New chat' }).and(page.locator(':focus')).waitFor();
    assert.deepEqual(await page.getByRole('tab').evaluateAll((all) => all.map((it) => it.getAttribute('tabindex'))), [
      '0',
      '-1',
    ]);
    await page.close();
  });

  it('1a-22 keep the draft of each chat and the place where it was read', async () => {
    const { page, showChat, field, said, rest } = await show();
    await rest();
    const log = page.locator('#log');
    await log.hover();
    await page.mouse.wheel(0, -1500);
    await page.getByRole('button', { name: 'Scroll to the end' }).waitFor();
    await rest();
    /** The turn at the top edge, and where it begins. Heights of what is out of sight are estimates. */
    const topOf = () =>
      log.evaluate((it) => {
        const { top } = it.getBoundingClientRect();
        const turns = [...it.querySelectorAll('.turn')].map((turn) => ({ turn, box: turn.getBoundingClientRect() }));
        const first = turns.find(({ box }) => box.bottom > top);
        return { turn: first?.turn.getAttribute('aria-label'), at: Math.round((first?.box.top ?? 0) - top) };
      });
    const place = await topOf();
    await field.fill('for the first chat');
    await showChat(side, turn('s', 'Why?', 'Because.'), 'kept by the host');
    await page.locator('.turn', { hasText: 'Because.' }).waitFor();
    assert.equal(await field.inputValue(), 'kept by the host');
    assert.deepEqual((await said('draft')).at(-1), { type: 'draft', text: 'for the first chat', chat: main });
    await showChat(main, long);
    await page.locator('.turn', { hasText: 'Question 39' }).waitFor();
    await rest();
    assert.equal(await field.inputValue(), 'for the first chat');
    const now = await topOf();
    assert.equal(now.turn, place.turn);
    assert.ok(Math.abs(now.at - place.at) <= 4, `${now.at} is not where it was read: ${place.at}`);
    await page.close();
  });

  it('offer what can be done with a chat, and open closed ones again', async () => {
    const closed: ChatTab = { id: 'host-chat:/3', title: 'Prices', state: 'idle', isClosed: true };
    const { page, tab, said } = await show({ chats: [...tabs, closed] });
    assert.equal(await tab('Prices').count(), 0);
    const items = () => page.getByRole('menuitem').evaluateAll((all) => all.map((it) => it.textContent?.trim()));
    await page.getByRole('button', { name: 'Chat actions' }).click();
    assert.deepEqual(await items(), ['Rename…', 'Open Prices']);
    await page.getByRole('menuitem', { name: 'Open Prices' }).click();
    await tab(/Why/).click({ button: 'right' });
    assert.deepEqual(await items(), ['Rename…', 'Close', 'Delete…', 'Open Prices']);
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    assert.deepEqual(
      (await said('chat')).map(({ chat, what }) => [chat, what]),
      [
        [closed.id, 'reopen'],
        [side, 'delete'],
      ],
    );
    await page.close();
  });

  it('add a chat where the agent can have several, and no button where it cannot', async () => {
    const { page, said, send } = await show();
    await page.getByRole('button', { name: 'New chat' }).click();
    assert.deepEqual(await said('newChat'), [{ type: 'newChat' }]);
    await send({ type: 'patch', seq: 2, head: headOf({ chats: tabs, chat: main }) });
    await page.getByRole('button', { name: 'New chat' }).waitFor({ state: 'detached' });
    await send({ type: 'patch', seq: 3, head: headOf({ chat: main, canAddChat: true }) });
    await page.getByRole('tablist').waitFor({ state: 'detached' });
    await page.close();
  });

  it('stay usable in a narrow side bar', async () => {
    const { page, tab } = await show();
    await page.setViewportSize({ width: 250, height: 600 });
    const box = await page.getByRole('button', { name: 'Chat actions' }).boundingBox();
    assert.ok(box && box.x + box.width <= 250, JSON.stringify(box));
    await tab('Dates').waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    await page.close();
  });
});
