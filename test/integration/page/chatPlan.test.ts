import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { PlanItem } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

const plan: readonly PlanItem[] = [
  { text: 'Look at the dates', state: 'done' },
  { text: 'Mend the dates', state: 'doing' },
  { text: 'Run the tests', state: 'open' },
];
const planning = (items: readonly PlanItem[]) => headOf({ turn: { ...running.turn, plan: items } });

describe('the to-do list of a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(head = planning(plan)) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head, rows: [] } });
    const list = opened.page.getByRole('region', { name: 'To-do list' });
    return { ...opened, list };
  }

  it('1b-7 ticks off above the message what the agent has done, and marks what it does now', async () => {
    const { page, list, send } = await show();
    const states = () =>
      list
        .getByRole('listitem')
        .evaluateAll((all) =>
          all.map((it) => `${it.querySelector('[role=img]')?.ariaLabel}: ${it.textContent.trim()}`),
        );
    await list.getByText('1 of 3 done').waitFor();
    assert.deepEqual(await states(), [
      'Done: Look at the dates',
      'In progress: Mend the dates',
      'To do: Run the tests',
    ]);
    const [box, field] = await Promise.all([list.boundingBox(), page.getByRole('textbox').boundingBox()]);
    assert.ok(box && field && box.y + box.height <= field.y, 'it is above the message');
    await send({ type: 'patch', seq: 2, head: planning(plan.map((it) => ({ ...it, state: 'done' }))) });
    await list.getByText('3 of 3 done').waitFor();
    await page.close();
  });

  it('1b-7 folds to one line by the keyboard, stays so while it changes, and goes with the turn', async () => {
    const { page, list, send } = await show();
    const head = list.getByRole('button', { name: '1 of 3 done' });
    await head.press('Enter');
    assert.equal(await list.getByRole('listitem').count(), 0);
    assert.equal(await list.getByRole('button').getAttribute('aria-expanded'), 'false');
    await list.getByText('Mend the dates').waitFor();
    await send({ type: 'patch', seq: 2, head: planning([plan[0]!, { text: 'Rest', state: 'doing' }]) });
    await list.getByText('Rest').waitFor();
    assert.equal(await list.getByRole('listitem').count(), 0);
    await send({ type: 'patch', seq: 3, head: headOf() });
    await list.waitFor({ state: 'detached' });
    await page.close();
  });

  it('1b-7 is not there where the agent has no plan', async () => {
    const { page, list } = await show(headOf(running));
    await page.getByText('Working…').waitFor();
    assert.equal(await list.count(), 0);
    await page.close();
  });
});
