import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { QuestionRow } from '../../../src/webviews/contract/chatModel.ts';
import { verifies } from '../../support/verifies.ts';
import { type ChatHarness, headOf, startChatHarness } from './chatHarness.ts';

const asked: QuestionRow = {
  kind: 'question',
  id: 't/0',
  turnId: 't',
  requestId: 'q',
  state: 'open',
  message: 'Sign in to go on',
  url: 'https://github.com@sign-in.example/start?for=agent',
  questions: [],
  answers: {},
};

describe('a page that an agent asks to open', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(row: QuestionRow) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head: headOf(), rows: [row] } });
    await opened.page.getByRole('heading', { name: 'Sign in to go on' }).waitFor();
    return opened;
  }

  it('is shown with its address and its host, and is opened by a click alone, which answers the agent', async () => {
    verifies('host.elicitation.url');
    const { page, said } = await show(asked);
    await page.getByText('https://github.com@sign-in.example/start?for=agent', { exact: true }).waitFor();
    assert.deepEqual([await said('link'), await said('answer')], [[], []]);
    await page.getByRole('button', { name: 'Open sign-in.example', exact: true }).click();
    assert.deepEqual(await said('link'), [{ type: 'link', href: asked.url }]);
    assert.deepEqual(await said('answer'), [{ type: 'answer', requestId: 'q', response: 'accept', answers: {} }]);
    await page.close();
  });

  it('is not opened if the person skips it', async () => {
    verifies('host.elicitation.url');
    const { page, said } = await show(asked);
    assert.equal(await page.getByRole('button', { name: 'Submit' }).count(), 0);
    const title = (name: string) => page.getByRole('button', { name }).getAttribute('title');
    assert.match((await title('Skip')) ?? '', /you do not want to answer\. It decides/);
    assert.match((await title('Cancel')) ?? '', /you canceled its request\. It may end the turn/);
    await page.getByRole('button', { name: 'Skip' }).click();
    assert.deepEqual(await said('answer'), [{ type: 'answer', requestId: 'q', response: 'decline', answers: {} }]);
    assert.deepEqual(await said('link'), []);
    await page.close();
  });
});
