import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type ChatHarness, headOf, running, startChatHarness, textRow } from './chatHarness.ts';

describe('1b-1 formulas in a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(text: string, head = headOf()) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head, rows: [textRow(text)] } });
    return opened;
  }

  const formulas: readonly (readonly [string, string, number])[] = [
    ['between dollar signs', 'The sum $a^2 + b^2$ is known.', 1],
    ['between round brackets', String.raw`The sum \(a^2 + b^2\) is known.`, 1],
    ['on a line of its own', String.raw`Then $$\int_0^1 x\,dx = \frac{1}{2}$$ holds.`, 1],
    ['in a block of dollar signs', '$$\na = b\n- c\n$$', 1],
    ['in a block of square brackets', '\\[\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n\\]', 1],
    ['two in one line', 'Both $x$ and $y$.', 2],
    ['in an item of a list', '- first $x_1$\n- second', 1],
  ];
  for (const [what, text, count] of formulas) {
    it(`1b-1 a formula ${what} is drawn as a formula`, async () => {
      const { page, complaints } = await show(text);
      await page
        .locator('math')
        .nth(count - 1)
        .waitFor();
      assert.equal(await page.locator('math').count(), count);
      assert.deepEqual([await page.locator('code.math').count(), complaints], [0, []]);
      await page.close();
    });
  }

  const plain: readonly (readonly [string, string])[] = [
    ['prices', 'It costs $5 today and $10 tomorrow.'],
    ['variables of a shell', 'Set $HOME/$USER and $PATH:$HOME first.'],
    ['dollar signs in code', 'Run `echo $a $b$`.'],
    ['an escaped dollar sign', 'Pay \\$5 and \\$6$.'],
  ];
  for (const [what, text] of plain) {
    it(`1b-1 ${what} are no formula`, async () => {
      const { page } = await show(`${text}\n\nBut $x$ is.`);
      await page.locator('math').waitFor();
      assert.equal(await page.locator('math').count(), 1);
      await page.close();
    });
  }

  it('1b-1 what cannot be read as a formula stays as it was written, and says so', async () => {
    const { page, complaints } = await show(String.raw`Bad $\frac{1}$ and good $x$.`);
    await page.locator('math').waitFor();
    const source = page.locator('code.math');
    assert.deepEqual(
      [await source.textContent(), await source.getAttribute('title'), complaints],
      [String.raw`\frac{1}`, 'This formula cannot be displayed.', []],
    );
    await page.close();
  });

  it('1b-1 a formula cannot bring links, styles or pictures', async () => {
    const { page, complaints } = await show(
      String.raw`$\href{https://a.test}{x}$ $\includegraphics{https://a.test/a.png}$ $\style{color:red}{x}$ $\color{red}{y}$`,
    );
    await page.locator('math').first().waitFor();
    assert.equal(await page.locator('.markdown :is(a, img, [style])').count(), 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('1b-1 a block that is being written is shown as it comes, and as a formula once it is whole', async () => {
    const { page, send } = await show('$$\na = b\n- c', headOf(running));
    const source = page.locator('code.math');
    await source.waitFor();
    assert.equal(await source.textContent(), 'a = b\n- c');
    await send({ type: 'patch', seq: 2, texts: [{ partId: 't/0', offset: 12, text: '\n$$\n\nSo it is.' }] });
    await page.locator('math').waitFor();
    assert.equal(await page.getByText('So it is.').count(), 1);
    await page.close();
  });
});
