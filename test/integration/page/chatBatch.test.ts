import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

const request = (n: number, oneClick = true): ToolRow => ({
  kind: 'tool',
  id: `t/${n}`,
  turnId: 't',
  toolCallId: `c${n}`,
  state: 'pending',
  toolKind: 'shell',
  title: `Run make ${n}`,
  command: `make ${n}`,
  files: [],
  paths: [],
  ask: {
    options: [
      { id: 'allow-once', label: 'Allow once', approves: true },
      { id: 'deny', label: 'Deny', approves: false },
    ],
    oneClick,
  },
});

describe('a request like those that a person allowed before', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  for (const oneClick of [true, false])
    it(`1b-9 ${oneClick ? 'offers its rule in a quiet line' : 'offers no rule where it is dangerous'}`, async () => {
      const { page, send, said } = await harness.open();
      const row = request(1);
      const options = [
        ...row.ask!.options,
        { id: 'allow-session', label: 'Allow make * in this session', approves: true },
      ];
      const ask = { options, oneClick, rule: 'make *', timesAllowed: 3 };
      await send({ type: 'model', seq: 1, model: { head: headOf(running), rows: [{ ...row, ask }] } });
      await page.locator('.tool-card .allow').waitFor();
      const line = page.locator('.suggestion');
      if (!oneClick) assert.equal(await line.count(), 0);
      else {
        await line.getByText('You have allowed requests like this 3 times.').waitFor();
        await line.getByRole('button', { name: 'Allow make * in this session' }).click();
        assert.equal((await said('decide'))[0]?.optionId, 'allow-session');
      }
      await page.close();
    });
});

describe('several requests that wait in a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  const open = async (...rows: ToolRow[]) => {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head: headOf(running), rows } });
    const { page, said } = opened;
    await page.getByText(`Request 1 of ${rows.length}`, { exact: true }).waitFor();
    const inSight = () => page.locator('.tool-card > .command:visible').allTextContents();
    const answers = async () => (await said('decide')).map((it) => `${it.toolCallId} ${it.optionId}`);
    return {
      ...opened,
      inSight,
      answers,
      press: (name: string) => page.getByRole('button', { name, exact: true }).click(),
    };
  };

  it('1b-11 are one card that names them all, and leads to the previous and the next', async () => {
    const { page, inSight, press } = await open(request(1), request(2), request(3));
    assert.deepEqual(await inSight(), ['make 1']);
    assert.deepEqual(await page.locator('.batch-list li:visible').allInnerTexts(), ['make 1', 'make 2', 'make 3']);
    await press('Next request');
    assert.deepEqual(await inSight(), ['make 2']);
    await page.getByRole('button', { name: 'Next request' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Request 3 of 3', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Next request' }).isDisabled(), true);
    await press('make 1');
    await press('Next request');
    await press('Previous request');
    assert.deepEqual(await inSight(), ['make 1']);
    await page.close();
  });

  it('1b-11 are allowed at once, each of them once, but for the dangerous ones, which stay, as the card says', async () => {
    const { page, inSight, answers, press, send } = await open(request(1), request(2, false), request(3));
    await page.getByText('"Allow all" does not include 1 dangerous request. Check it before you answer it.').waitFor();
    await press('Allow all');
    assert.deepEqual(await answers(), ['c1 allow-once', 'c3 allow-once']);
    assert.deepEqual(await inSight(), ['make 2']);
    const done = (n: number) => {
      const { ask: _ask, ...row } = request(n);
      return { ...row, state: 'done' as const };
    };
    await send({ type: 'patch', seq: 2, rows: [done(1), done(3)] });
    await page.locator('.batch').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run anyway' }).waitFor();
    assert.deepEqual(await answers(), ['c1 allow-once', 'c3 allow-once']);
    await page.close();
  });

  it('1b-11 are skipped at once, which denies all of them', async () => {
    const { page, answers, press } = await open(request(1), request(2, false));
    await press('Skip all');
    assert.deepEqual(await answers(), ['c1 deny', 'c2 deny']);
    await page.close();
  });

  it('1b-11 offer to be allowed at once only where one of them may be', async () => {
    const { page } = await open(request(1, false), request(2, false));
    assert.equal(await page.getByRole('button', { name: 'Allow all' }).count(), 0);
    await page.getByRole('button', { name: 'Skip all' }).waitFor();
    await page.close();
  });

  it('1b-11 become a card of their own again when the others are answered elsewhere, and join one that comes', async () => {
    const { page, send, inSight } = await open(request(1), request(2));
    const { ask: _ask, ...rest } = request(1);
    await send({ type: 'patch', seq: 2, rows: [{ ...rest, state: 'running' }] });
    await page.locator('.batch').waitFor({ state: 'detached' });
    assert.deepEqual(await inSight(), ['make 2']);
    await send({ type: 'patch', seq: 3, splice: { at: 2, remove: 0, insert: ['t/3'] }, rows: [request(3)] });
    await page.getByText('Request 1 of 2', { exact: true }).waitFor();
    assert.deepEqual(await inSight(), ['make 2']);
    await page.close();
  });
});
