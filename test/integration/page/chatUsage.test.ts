import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Row } from '../../../src/webviews/contract/chatModel.ts';
import type { TurnUsage, UsageModel } from '../../../src/webviews/contract/usageModel.ts';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

const usage: UsageModel = {
  agent: 'Claude',
  inputTokens: 12_000,
  outputTokens: 340,
  contextTokens: 12_000,
  window: 200_000,
  cost: { amount: 1.5, currency: 'USD' },
  turnCost: { amount: 0.02, currency: 'USD' },
};

const budgeted: UsageModel = { agent: 'Claude', budget: { dollars: { left: 0.004, limit: 1.5 } } };

describe('the meter of a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(used: UsageModel, more = {}) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head: headOf({ usage: used, ...more }), rows: [] } });
    const { page } = opened;
    const meter = page.getByRole('button', { name: /^Context: / });
    const details = page.getByRole('dialog', { name: 'Usage' });
    const facts = () =>
      details
        .locator('dt')
        .evaluateAll((all) => all.map((it) => [it.textContent, it.nextElementSibling?.textContent] as const));
    return { ...opened, meter, details, facts };
  }

  for (const { says, used, name, label } of [
    {
      says: 'all is known',
      used: usage,
      name: 'Context: 12k of 200k tokens · 6% of the context window',
      label: '12k of 200k tokens',
    },
    {
      says: 'the window is unknown',
      used: { agent: 'Claude', inputTokens: 8_460 },
      name: 'Context: 8.5k tokens · the size of the context window is unknown',
      label: '8.5k tokens',
    },
    {
      says: 'the agent does not report it',
      used: { agent: 'Claude', outputTokens: 5, cost: { amount: 0.004, currency: 'USD' } },
      name: 'Context: not reported by Claude',
      label: '$0.004',
    },
    {
      says: 'the agent does not report it, and the session has a budget',
      used: { ...budgeted, cost: { amount: 1.496, currency: 'USD' } },
      name: 'Context: not reported by Claude, Budget: $0.004 of $1.50 left',
      label: '$0.004 of $1.50 left',
    },
  ])
    it(`1c-14 says how full the context is, with its unit, where ${says}`, async () => {
      const { page, meter } = await show(used);
      await meter.waitFor();
      assert.equal(await meter.getAttribute('aria-label'), name);
      assert.equal((await meter.textContent())?.trim(), label);
      await page.close();
    });

  it('1c-14 lists what fills the context and what is free, as estimates, and summarizes the conversation', async () => {
    const contextParts = [
      { kind: 'system', tokens: 2_000 },
      { kind: 'tools', tokens: 3_000 },
      { kind: 'messages', tokens: 7_000 },
    ] as const;
    const { page, meter, details, facts, said } = await show({ ...usage, contextParts });
    await meter.click();
    assert.deepEqual((await facts()).slice(1, 5), [
      ['System prompt', 'about 2k tokens'],
      ['Tools', 'about 3k tokens'],
      ['Messages', 'about 7k tokens'],
      ['Free', '188k tokens'],
    ]);
    await details.getByText('The parts of the context are estimates.').waitFor();
    await details.getByRole('button', { name: 'Summarize conversation' }).press('Enter');
    assert.deepEqual(await said('compact'), [{ type: 'compact' }]);
    assert.equal(await details.count(), 0);
    await page.close();
  });

  it('1c-14 is absent if the context, cost, and budget are all unknown', async () => {
    const { page, meter, send } = await show({ agent: 'Claude', outputTokens: 5 });
    await page.locator('chat-usage').waitFor({ state: 'attached' });
    assert.equal(await meter.count(), 0);
    await send({ type: 'model', seq: 2, model: { head: headOf({ usage }), rows: [] } });
    await meter.waitFor();
    await page.close();
  });

  it('1c-14 opens what is known of it by the keyboard, and Escape closes that and stops no agent', async () => {
    const { page, meter, details, facts, said } = await show(usage, running);
    await meter.press('Enter');
    await details.waitFor();
    assert.deepEqual((await facts()).slice(0, 5), [
      ['Context', '12k of 200k tokens · 6% of the context window'],
      ['Contents of the context window', 'unknown'],
      ['Input for the last turn', '12k tokens'],
      ['Input read from the cache', 'unknown'],
      ['Output from the last turn', '340 tokens'],
    ]);
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    assert.deepEqual(await said('stop'), []);
    await page.close();
  });

  for (const { used, costs } of [
    { used: usage, costs: ['$0.02', '$1.50'] },
    { used: { agent: 'Claude', inputTokens: 5 }, costs: ['unknown', 'unknown'] },
  ])
    it(`1c-15 says what the last turn and the session cost: ${costs.join(' and ')}`, async () => {
      const { page, meter, details, facts } = await show(used);
      await meter.click();
      await details.waitFor();
      assert.deepEqual((await facts()).slice(-2), [
        ['Cost of the last turn', costs[0]],
        ['Cost of this chat', costs[1]],
      ]);
      await page.close();
    });

  const counted: TurnUsage & Pick<UsageModel, 'agent' | 'cost'> = {
    agent: 'Claude',
    cost: { amount: 0.43, currency: 'USD' },
    inputTokens: 13_000,
    outputTokens: 1_300,
    turnCost: { amount: 0.43, currency: 'USD' },
    counted: [
      { model: 'claude-sonnet-5', inputTokens: 12_000, outputTokens: 1_200, cost: { amount: 0.4, currency: 'USD' } },
      {
        model: 'claude-haiku-5',
        bySubAgents: true,
        inputTokens: 1_000,
        outputTokens: 100,
        cost: { amount: 0.03, currency: 'USD' },
      },
    ],
  };
  it('1c-15 shows what the last turn used by model, with sub-agents listed separately, if the gateway recorded it', async () => {
    const { page, meter, details, facts } = await show(counted);
    await meter.click();
    await details.getByText('As recorded by the gateway.').waitFor();
    assert.deepEqual((await facts()).slice(-2), [
      ['claude-sonnet-5', '12k input, 1.2k output tokens · $0.40'],
      ['claude-haiku-5 (sub-agents)', '1k input, 100 output tokens · $0.03'],
    ]);
    await page.close();
  });

  for (const { used, text, title } of [
    {
      used: counted,
      text: '13k input, 1.3k output tokens · $0.43 · recorded by the gateway',
      title:
        'claude-sonnet-5: 12k input, 1.2k output tokens · $0.40\nclaude-haiku-5 (sub-agents): 1k input, 100 output tokens · $0.03',
    },
    { used: { inputTokens: 5 }, text: '5 input, 0 output tokens · reported by the agent', title: '' },
  ])
    it(`1c-15 ends a turn with what it used: ${text}`, async () => {
      const { page, send } = await show(usage);
      const end: Row = { kind: 'end', id: 't/end', turnId: 't', state: 'complete', usage: used };
      await send({ type: 'model', seq: 2, model: { head: headOf({}), rows: [end] } });
      const line = page.getByText(text, { exact: true });
      await line.waitFor();
      assert.equal(await line.getAttribute('title'), title);
      await page.close();
    });

  it('1c-14 lies whole within a page as narrow as a side bar', async () => {
    const { page, meter, details } = await show(usage);
    await page.setViewportSize({ width: 250, height: 500 });
    await meter.click();
    const box = await details.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 250, JSON.stringify(box));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 250);
    await page.close();
  });
});
