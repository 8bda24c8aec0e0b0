import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

const call: ToolRow = {
  kind: 'tool',
  id: 't/0',
  turnId: 't',
  toolCallId: 'c',
  state: 'done',
  toolKind: 'edit',
  title: 'Changed two files',
  files: [
    { label: 'src/a.ts', change: 'edited', added: 1, removed: 1 },
    { label: 'src/b.ts', change: 'created', added: 3 },
  ],
  paths: [],
};

describe('the tool calls of a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(row: ToolRow) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head: headOf(), rows: [row] } });
    return opened;
  }

  it('1b-4 open a file by its name and its change by Preview, each of them by the keyboard', async () => {
    const { page, said } = await show(call);
    await page.getByRole('button', { name: 'Changed two files' }).click();
    await page.getByRole('button', { name: 'src/b.ts', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Preview src/a.ts' }).press('Enter');
    const asked = { type: 'tool', turnId: 't', toolCallId: 'c' };
    assert.deepEqual(await said('tool'), [
      { ...asked, what: 'file', index: 1 },
      { ...asked, what: 'preview', index: 0 },
    ]);
    await page.close();
  });

  for (const { exitCode, says } of [
    { exitCode: 3, says: ['failed', 'exit code 3'] },
    { exitCode: undefined, says: ['failed'] },
  ])
    it(`1b-4 say of a failed command ${says.join(' and ')}`, async () => {
      const { exitCode: _, ...rest } = { ...call, exitCode };
      const row: ToolRow = { ...rest, state: 'failed', files: [], ...(exitCode !== undefined && { exitCode }) };
      const { page } = await show(row);
      await page.locator('.tool.is-failed').waitFor();
      assert.deepEqual(await page.locator('.tool-state').allTextContents(), says);
      await page.close();
    });

  it('1b-4 say nothing of the exit code of a command that went well, but for its hover', async () => {
    const { page } = await show({ ...call, exitCode: 0 });
    const line = page.getByRole('button', { name: 'Changed two files' });
    await line.waitFor();
    assert.equal(await line.getAttribute('title'), 'exit code 0');
    assert.equal(await page.getByText('exit code').count(), 0);
    await page.close();
  });
});

describe('the clock of a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('counts from the fifth second on, stands still for an answer, and goes with the turn', async () => {
    const { page, send } = await harness.open();
    await page.clock.install({ time: running.turn.startedAt });
    await page.clock.pauseAt(new Date(Date.parse(running.turn.startedAt) + 1_000));
    await send({ type: 'model', seq: 1, model: { head: headOf(running), rows: [] } });
    await page.getByText('Working…').waitFor();
    const time = page.locator('.activity-time');
    assert.equal(await time.count(), 0);
    await page.clock.runFor(4_000);
    assert.equal(await time.textContent(), '5 s');
    await page.clock.runFor(60_000);
    assert.equal(await time.textContent(), '1 min 5 s');
    await send({ type: 'patch', seq: 2, head: headOf({ turn: { ...running.turn, needsYou: true } }) });
    await page.getByText('Waiting for your answer').waitFor();
    assert.equal(await time.count(), 0);
    await send({ type: 'patch', seq: 3, head: headOf() });
    await page.locator('#activity', { hasText: /./ }).waitFor({ state: 'detached' });
    await page.close();
  });
});
