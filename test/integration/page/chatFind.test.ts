import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ChatMatch } from '../../../src/webviews/contract/chat.ts';
import type { Row } from '../../../src/webviews/contract/chatModel.ts';
import { until } from '../../support/until.ts';
import { type ChatHarness, headOf, startChatHarness } from './chatHarness.ts';

const turn = (id: string, prompt: string, answer: string): Row[] => [
  { kind: 'prompt', id: `${id}/prompt`, turnId: id, text: prompt, attachments: [] },
  { kind: 'markdown', id: `${id}/0`, turnId: id, text: answer },
];
const rows = Array.from({ length: 30 }, (_, n) =>
  turn(`t${n}`, `Question ${n}`, `A **plum** pie\n\nand more\n\n${n}`),
).flat();
/** As the extension finds them: the first two are in turns that the page does not show. */
const matches: readonly ChatMatch[] = [
  { rowId: 'old/0', turnId: 'old', nth: 0 },
  { rowId: 't3/0', turnId: 't3', nth: 0 },
  { rowId: 't29/0', turnId: 't29', nth: 0 },
];

describe('1b-23 the find bar of the chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(text = 'plum pie', found = matches) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head: headOf(), rows } });
    await opened.page.locator('.turn', { hasText: 'Question 29' }).waitFor();
    await opened.rest();
    await opened.page.keyboard.press('Control+f');
    const field = opened.page.getByRole('textbox', { name: 'Find' });
    await field.and(opened.page.locator(':focus')).waitFor();
    await field.fill(text);
    const asked = async () => (await opened.said('find')).at(-1);
    await until('the page asks', async () => (await asked())?.text === text);
    const requestId = (await asked())!.requestId;
    await opened.send({ type: 'matches', requestId, matches: found, isMore: false });
    const count = opened.page.locator('.find-count');
    /** The text that is marked as the current place. */
    const marked = () =>
      opened.page.evaluate(() =>
        [...(CSS.highlights.get('chat-find-now') ?? [])].map((it) => (it as Range).cloneContents().textContent),
      );
    return { ...opened, field, count, marked };
  }

  it('counts what was found, begins where a person reads, and goes round with Enter and Shift+Enter', async () => {
    const { page, count, marked, complaints } = await show();
    await count.filter({ hasText: '3 of 3' }).waitFor();
    await until('the words are marked', async () => (await marked()).join() === 'plum pie');
    await page.keyboard.press('Shift+Enter');
    await count.filter({ hasText: '2 of 3' }).waitFor();
    await page.keyboard.press('Enter');
    await count.filter({ hasText: '3 of 3' }).waitFor();
    await page.getByRole('button', { name: 'Previous match' }).click();
    await count.filter({ hasText: '2 of 3' }).waitFor();
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('asks for the turn of a place that is not on the page, and shows it once it came', async () => {
    const { page, count, marked, said, send } = await show();
    await page.keyboard.press('Enter');
    await count.filter({ hasText: '1 of 3' }).waitFor();
    await until('the turn is asked for', async () => (await said('reveal')).length === 1);
    assert.deepEqual(await said('reveal'), [{ type: 'reveal', turnId: 'old' }]);
    await until('nothing is marked', async () => (await marked()).length === 0);
    const older = turn('old', 'The oldest question', 'The first plum pie of all');
    await send({ type: 'patch', seq: 2, splice: { at: 0, remove: 0, insert: older.map((it) => it.id) }, rows: older });
    await until('the words are marked', async () => (await marked()).join() === 'plum pie');
    await until('the turn is in sight', async () => {
      const box = await page.locator('.turn', { hasText: 'The oldest question' }).boundingBox();
      return box !== null && box.y + box.height > 0 && box.y < 700;
    });
    await page.close();
  });

  it('does not mark a place that was left before the page had painted it', async () => {
    const { page, count, marked } = await show();
    await until('the words are marked', async () => (await marked()).join() === 'plum pie');
    await page.evaluate(() => {
      const frames = window.requestAnimationFrame.bind(window);
      const held: FrameRequestCallback[] = [];
      window.requestAnimationFrame = (callback) => held.push(callback);
      window.addEventListener('frames', () => {
        window.requestAnimationFrame = frames;
        for (const it of held) frames(it);
      });
    });
    await page.keyboard.press('Shift+Enter');
    await count.filter({ hasText: '2 of 3' }).waitFor();
    await page.keyboard.press('Shift+Enter');
    await count.filter({ hasText: '1 of 3' }).waitFor();
    await page.evaluate(async () => {
      window.dispatchEvent(new Event('frames'));
      for (let n = 0; n < 4; n++) await new Promise((done) => void requestAnimationFrame(done));
    });
    assert.deepEqual(await marked(), []);
    await page.close();
  });

  it('unfolds what the words are in', async () => {
    const { page, marked, send, said } = await show('never seen', []);
    await page.locator('.find-count', { hasText: 'No results' }).waitFor();
    const thought: Row = { kind: 'reasoning', id: 't29/1', turnId: 't29', text: 'I wonder about pears' };
    await send({ type: 'patch', seq: 2, splice: { at: 60, remove: 0, insert: [thought.id] }, rows: [thought] });
    await page.getByText('Thought', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Find' }).fill('pears');
    await until('the page asks', async () => (await said('find')).at(-1)?.text === 'pears');
    const { requestId } = (await said('find')).at(-1)!;
    const inThought = [{ rowId: thought.id, turnId: 't29', nth: 0 }];
    await send({ type: 'matches', requestId, matches: inThought, isMore: false });
    await until('the words are marked', async () => (await marked()).join() === 'pears');
    await page.getByText('I wonder about pears').waitFor();
    await page.close();
  });

  it('is closed with Escape, takes its marks along, and stops nothing', async () => {
    const { page, field, marked, said } = await show();
    await until('the words are marked', async () => (await marked()).length === 1);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    assert.deepEqual(await marked(), []);
    assert.deepEqual(await said('stop'), []);
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
    await page.close();
  });

  it('lies within a side bar of 250 pixels', async () => {
    const { page } = await show();
    await page.setViewportSize({ width: 250, height: 600 });
    const box = await page.getByRole('search').boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 250, JSON.stringify(box));
    await page.close();
  });
});

describe('the composer in a side bar', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('shows all of its placeholder at 250 pixels, above the pickers', async () => {
    const { page, send, rest } = await harness.open();
    await page.setViewportSize({ width: 250, height: 600 });
    const choices = [{ id: 'a', label: 'A model with a long name' }];
    const pickers = ['agent', 'model', 'option:mode'].map((id) => ({
      id,
      title: id,
      value: 'a',
      choices,
      enabled: true,
    }));
    const head = headOf();
    await send({
      type: 'model',
      seq: 1,
      model: { head: { ...head, composer: { ...head.composer, pickers } }, rows: [] },
    });
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.waitFor();
    await rest();
    const [box, bar] = [await field.boundingBox(), await page.locator('.composer-bar').boundingBox()];
    assert.ok(box && bar);
    assert.ok(box.y + box.height <= bar.y + 1, `${JSON.stringify(box)} lies over ${JSON.stringify(bar)}`);
    assert.ok(box.height > 40, `the placeholder has one line alone: ${box.height}`);
    assert.ok(await field.evaluate((it) => it.scrollHeight <= it.clientHeight + 1));
    await page.close();
  });
});
