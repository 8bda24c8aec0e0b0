import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Row, ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

const step = (at: number, more: Partial<ToolRow> = {}): ToolRow => ({
  kind: 'tool',
  id: `t/${at}`,
  turnId: 't',
  toolCallId: `c${at}`,
  state: 'done',
  toolKind: 'edit',
  title: `Step ${at}`,
  files: [],
  paths: [],
  ...more,
});
const edit = (label: string) => ({ files: [{ label, change: 'edited' as const }] });
const prompt: Row = { kind: 'prompt', id: 't/prompt', turnId: 't', text: 'Fix the dates', attachments: [] };
const answer: Row = { kind: 'markdown', id: 't/9', turnId: 't', text: 'They are fixed.' };
const end: Row = { kind: 'end', id: 't/end', turnId: 't', state: 'complete', durationMs: 65_000 };
const rows: readonly Row[] = [
  prompt,
  { kind: 'reasoning', id: 't/0', turnId: 't', text: 'hm' },
  step(1, edit('a.ts')),
  step(2, edit('b.ts')),
  { kind: 'markdown', id: 't/3', turnId: 't', text: 'Half of it.' },
  step(4, edit('a.ts')),
  step(5, { state: 'failed', error: 'No such file' }),
  answer,
  end,
];

describe('the steps of a finished turn', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(shown: readonly Row[], head = headOf()) {
    const opened = await harness.open();
    const { page } = opened;
    await opened.send({ type: 'model', seq: 1, model: { head, rows: shown } });
    await page.getByText('Fix the dates').waitFor();
    return {
      ...opened,
      line: page.locator('.steps button'),
      visible: () => page.locator('.row-tool .tool-title:visible').allTextContents(),
    };
  }

  it('1b-5 are one line that says how many, of how many files, in what time, and failures and answers stay', async () => {
    const { page, line, visible } = await show(rows);
    assert.equal((await line.textContent())?.trim(), '4 steps · 2 files · 1 min 5 s');
    assert.deepEqual(await visible(), ['Step 5']);
    assert.equal(await page.getByText('Thought').isVisible(), false);
    for (const it of ['Half of it.', 'They are fixed.', 'No such file'])
      assert.ok(await page.getByText(it).isVisible());
    await page.close();
  });

  it('1b-5 open and fold again by the keyboard, and stay as they were chosen', async () => {
    const { page, line, visible, send } = await show(rows);
    assert.equal(await line.getAttribute('aria-expanded'), 'false');
    await line.press('Enter');
    assert.equal(await line.getAttribute('aria-expanded'), 'true');
    assert.deepEqual(await visible(), ['Step 1', 'Step 2', 'Step 4', 'Step 5']);
    await send({ type: 'model', seq: 2, model: { head: headOf(), rows } });
    assert.deepEqual(await visible(), ['Step 1', 'Step 2', 'Step 4', 'Step 5'], 'the page was drawn anew');
    await line.press('Enter');
    assert.deepEqual(await visible(), ['Step 5']);
    await page.close();
  });

  it('1b-5 are all there while their turn runs, and fold as it ends', async () => {
    const { page, line, visible, send } = await show(rows.slice(0, -1), headOf(running));
    assert.equal(await line.count(), 0);
    assert.deepEqual(await visible(), ['Step 1', 'Step 2', 'Step 4', 'Step 5']);
    const at = rows.length - 1;
    await send({ type: 'patch', seq: 2, splice: { at, remove: 0, insert: ['t/end'] }, rows: [end], head: headOf() });
    assert.deepEqual(await visible(), ['Step 5']);
    await page.close();
  });

  it('1b-5 do not fold under the eyes of a person who reads one', async () => {
    const { page, line, visible, send } = await show([prompt, step(1, edit('a.ts')), step(2)], headOf(running));
    await page.getByRole('button', { name: 'Step 1' }).click();
    await send({ type: 'patch', seq: 2, head: headOf() });
    await line.waitFor();
    assert.deepEqual(await visible(), ['Step 1', 'Step 2']);
    await page.close();
  });

  it('1b-5 stay as they are where there is one, or none that could fold', async () => {
    const { page, line, visible } = await show([prompt, step(1), answer, end]);
    assert.equal(await line.count(), 0);
    assert.deepEqual(await visible(), ['Step 1']);
    await page.close();
  });
});
