import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Row } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, startChatHarness } from './chatHarness.ts';

const prompts = ['First', 'Second', 'Third'];
const rows = prompts.flatMap((text, index): Row[] => [
  { kind: 'prompt', id: `${index}/prompt`, turnId: `${index}`, text, attachments: [] },
  { kind: 'markdown', id: `${index}/0`, turnId: `${index}`, text: 'words\n\n'.repeat(60) },
]);

describe('the prompts of a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('1b-23 are reached with Alt+Up and Alt+Down, each of them in sight, and below the last is the message', async () => {
    const { page, send, rest } = await harness.open();
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows } });
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.focus();
    const seen: (string | undefined)[] = [];
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
      await page.keyboard.press(`Alt+${key}`);
      const focused = page.locator(':focus');
      await rest();
      const [box, height] = [await focused.boundingBox(), page.viewportSize()?.height ?? 0];
      assert.ok(box && box.y >= 0 && box.y + box.height <= height, `${key}: ${JSON.stringify(box)}`);
      seen.push((await focused.textContent())?.trim());
    }
    assert.deepEqual(seen, ['Third', 'Second', 'First', 'First', 'Second', 'Third', '']);
    await message.and(page.locator(':focus')).waitFor();
    await page.close();
  });

  it('1b-23 stay in sight when text is added in the same moment', async () => {
    const { page, send, rest } = await harness.open();
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows } });
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await rest();
    const last: Row = { kind: 'markdown', id: '2/0', turnId: '2', text: 'words\n\n'.repeat(90) };
    const data = { type: 'patch', seq: 2, rows: [last] };
    await page.evaluate((it) => {
      const press = new KeyboardEvent('keydown', { key: 'ArrowUp', altKey: true, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(press);
      window.dispatchEvent(new MessageEvent('message', { data: it }));
    }, data);
    await rest();
    const box = await page.locator(':focus').boundingBox();
    assert.ok(box && box.y >= 0 && box.y < (page.viewportSize()?.height ?? 0), JSON.stringify(box));
    await page.close();
  });

  it('show the time at which they were written when the pointer is over them', async () => {
    const { page, send } = await harness.open();
    const at = '2026-03-04T05:06:07.000Z';
    const timed = rows.map((it) => (it.kind === 'prompt' && it.text === 'Third' ? { ...it, at } : it));
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows: timed } });
    const bubble = (text: string) => page.locator('.bubble', { hasText: text });
    await bubble('Third').hover();
    const said = await page.evaluate((it) => new Date(it).toLocaleString(), at);
    assert.equal(await bubble('Third').getAttribute('title'), said);
    await bubble('Second').hover();
    assert.equal(await bubble('Second').getAttribute('title'), '', 'its time is unknown');
    await page.close();
  });
});
