import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

describe('the banner in a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('of a silent agent offers to stop, to try again, and to show the log, below the cause', async () => {
    const { page, send, said } = await harness.open();
    const banners = [{ id: 's', kind: 'silent', subject: 'Claude', detail: 'connect ECONNREFUSED' }] as const;
    await send({ type: 'model', seq: 1, model: { head: headOf({ ...running, banners }), rows: [] } });
    const banner = page.getByRole('group', { name: 'Claude has not responded for a while.' });
    await banner.getByText('connect ECONNREFUSED').waitFor();
    for (const name of ['Stop', 'Try again', 'Show log']) await banner.getByRole('button', { name }).click();
    assert.deepEqual(
      (await said('banner')).map((it) => it.what),
      ['act', 'retry', 'log'],
    );
    await page.close();
  });

  it('of an agent that ran tools without asking names it with the counts, and offers a sandbox', async () => {
    const { page, send, said } = await harness.open();
    const unasked = { here: 2, all: 5 };
    const banners = [{ id: 'u', kind: 'ranUnasked', subject: 'Claude 1.2.3', unasked, canDismiss: true }] as const;
    await send({ type: 'model', seq: 1, model: { head: headOf({ banners }), rows: [] } });
    const words =
      'Claude 1.2.3 does not always ask. In this session, it ran 2 tools without asking. In all sessions: 5.';
    const banner = page.getByRole('group', { name: words });
    for (const name of ['New session in a sandbox', 'Dismiss']) await banner.getByRole('button', { name }).click();
    assert.deepEqual(
      (await said('banner')).map((it) => it.what),
      ['act', 'dismiss'],
    );
    await page.close();
  });

  it('of a parked chat counts down, and offers to resume, to continue with another agent, and to cancel', async () => {
    const { page, send, said } = await harness.open();
    const until = new Date(Date.now() + 3_725_000).toISOString();
    const banners = [{ id: 'p', kind: 'parked', subject: 'Claude', until }] as const;
    await send({ type: 'model', seq: 1, model: { head: headOf({ banners }), rows: [] } });
    const banner = page.locator('.banner.is-parked');
    const words = banner.locator('.banner-words');
    const first = await words.filter({ hasText: /sent again in 1:0\d:\d\d\./ }).textContent();
    assert.ok(first);
    await words.filter({ hasNotText: first.trim() }).waitFor();
    for (const name of ['Resume now', 'Continue with another agent', 'Cancel'])
      await banner.getByRole('button', { name }).click();
    assert.deepEqual(
      (await said('banner')).map((it) => it.what),
      ['act', 'otherAgent', 'cancel'],
    );
    await page.close();
  });
});
