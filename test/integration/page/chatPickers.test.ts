import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import type { ChatHead, Picker } from '../../../src/webviews/contract/chatModel.ts';
import { until } from '../../support/until.ts';
import { type ChatHarness, headOf, type OpenPage, startChatHarness } from './chatHarness.ts';

const picker = (id: string, title: string, value: string, ...labels: string[]): Picker => ({
  id,
  title,
  value,
  enabled: true,
  choices: labels.map((label) => ({ id: label.toLowerCase(), label })),
});
const claude = [
  picker('agent', 'Agent', 'claude', 'Claude', 'Runbook'),
  picker('option:mode', 'Mode', 'manual', 'Manual', 'Plan'),
  picker('option:thought', 'Effort', 'default', 'Default', 'High'),
  picker('option:fast', 'Fast', 'off', 'On', 'Off'),
  picker('option:web', 'Web search', 'off', 'On', 'Off'),
  picker('model', 'Model', 'opus', 'Opus', 'Sonnet'),
];

describe('1c-16 the choices of a chat page', () => {
  let harness: ChatHarness;
  let open: OpenPage;
  let page: Page;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());
  const show = async (width: number, pickers: readonly Picker[], more: Partial<ChatHead> = {}) => {
    open = await harness.open();
    page = open.page;
    await page.setViewportSize({ width, height: 600 });
    const head = headOf({ ...more, composer: { ...headOf().composer, pickers, hasOptions: true } });
    await open.send({ type: 'model', seq: 1, model: { head, rows: [] } });
    await page.getByRole('button', { name: 'Agent: Claude' }).waitFor();
    await open.rest();
  };
  const shown = () =>
    page.locator('chat-pickers .picker:visible').evaluateAll((all) => all.map((it) => it.textContent?.trim()));
  const heights = () =>
    page
      .locator('chat-pickers .picker:visible')
      .evaluateAll((all) => new Set(all.map((it) => it.getBoundingClientRect().top)).size);

  it('are named where their value alone says nothing', async () => {
    await show(1200, claude);
    assert.deepEqual(await shown(), [
      'Claude',
      'Manual',
      'Effort: Default',
      'Fast: Off',
      'Web search: Off',
      'Opus',
      'Options…',
    ]);
    assert.equal(await page.getByRole('button', { name: 'More choices' }).count(), 0);
  });

  it('name the custom agent where none is selected', async () => {
    const custom = picker('customAgent', 'Custom agent', 'default', 'Default', 'Reviewer');
    await show(1200, [claude[0]!, custom, { ...custom, value: 'reviewer' }]);
    assert.deepEqual(await shown(), ['Claude', 'Custom agent: none selected', 'Reviewer', 'Options…']);
  });

  for (const width of [600, 420, 320, 250])
    it(`stand in one line at ${width} px, and what has no room is in a menu`, async () => {
      await show(width, claude);
      assert.equal(await heights(), 1);
      const seen = await shown();
      assert.ok(seen.includes('Claude') && seen.length < 7, seen.join(' | '));
      const box = await page.locator('.composer').boundingBox();
      const buttons = await page
        .locator('.composer button:visible')
        .evaluateAll((all) =>
          all.map((it) => ({ name: it.getAttribute('aria-label'), right: it.getBoundingClientRect().right })),
        );
      for (const it of buttons) assert.ok(it.right <= box!.x + box!.width, `${it.name} ends at ${it.right}`);
      await page.getByRole('button', { name: 'More choices' }).click();
      await page.getByRole('menuitem', { name: 'Fast' }).click();
      await page.getByRole('menuitemradio', { name: 'On' }).click();
      assert.deepEqual(await open.said('choose'), [{ type: 'choose', picker: 'option:fast', choice: 'on' }]);
      assert.deepEqual(open.complaints, []);
    });

  it('never hide that the agent acts without asking', async () => {
    const mode: Picker = {
      ...claude[1]!,
      value: 'auto',
      choices: [{ id: 'auto', label: 'Auto', agentDecides: true }],
    };
    await show(250, [claude[0]!, mode, ...claude.slice(2)]);
    await page.getByRole('button', { name: 'Mode: Auto, agent decides' }).and(page.locator(':visible')).waitFor();
  });

  const dial: Picker = { ...picker('option:dial', 'Permissions', 'ask', 'Ask'), isOwn: true };
  for (const { width, usage } of [
    { width: 250, usage: { agent: 'Claude', contextTokens: 3000, window: 200_000 } },
    { width: 220, usage: { agent: 'Claude', contextTokens: 3000 } },
  ])
    it(`say in full what the permissions are at ${width} px, beside what the agent used`, async () => {
      await show(width, [...claude, dial], { usage });
      const label = page.getByRole('button', { name: 'Permissions: Ask' }).locator('.picker-label');
      assert.equal(await label.locator('.picker-name').isVisible(), false);
      assert.ok(await label.evaluate((it) => it.scrollWidth <= it.clientWidth), 'the word is cut off');
      const send = await page.getByRole('button', { name: 'Send' }).boundingBox();
      assert.ok(send!.x + send!.width <= width, `Send ends at ${send!.x + send!.width}`);
    });

  it('leave the words of an empty message whole at 250 px', async () => {
    await show(250, claude);
    const field = page.getByRole('textbox', { name: 'Message' });
    await until('the field is as high as its words', () => field.evaluate((it) => it.scrollHeight <= it.clientHeight));
    assert.ok((await field.boundingBox())!.height > 40, 'the words need more than one line');
  });

  const models: Picker = {
    id: 'model',
    title: 'Model',
    value: 'a',
    enabled: true,
    choices: [
      { id: 'c', label: 'Cedar', group: 'pinned', pin: 'pinned' },
      { id: 'b', label: 'Birch', group: 'recent', pin: 'unpinned' },
      { id: 'a', label: 'Alder', group: 'others', pin: 'unpinned', isDefault: true, contextTokens: 200_000 },
    ],
  };

  it('of models stand in groups, with what the agent says of each and how hard it works', async () => {
    await show(900, [claude[0]!, models, claude[2]!]);
    await page.getByRole('button', { name: 'Model: Alder' }).click();
    const menu = page.getByRole('menu', { name: 'Model' });
    assert.deepEqual(await menu.locator('.menu-group').allTextContents(), ['Pinned', 'Recent', 'All models', 'Effort']);
    await menu.getByRole('menuitemradio', { name: 'Alder Default · 200k tokens of context' }).waitFor();
    await menu.getByRole('menuitemradio', { name: 'High' }).click();
    assert.deepEqual(await open.said('choose'), [{ type: 'choose', picker: 'option:thought', choice: 'high' }]);
  });

  it('of models are pinned and unpinned, with the keyboard too', async () => {
    await show(900, [claude[0]!, models]);
    await page.getByRole('button', { name: 'Model: Alder' }).click();
    await page.getByRole('menuitemradio', { name: 'Alder' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('menuitem', { name: 'Pin Alder' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Model: Alder' }).click();
    await page.getByRole('menuitem', { name: 'Unpin Cedar' }).click();
    assert.deepEqual(await open.said('pinModel'), [
      { type: 'pinModel', model: 'a', isPinned: true },
      { type: 'pinModel', model: 'c', isPinned: false },
    ]);
  });
});
