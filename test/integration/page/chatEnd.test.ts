import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import type { EndRow, Row } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, type OpenPage, running, startChatHarness } from './chatHarness.ts';

const textOf = (n: number) => `Part ${n}\n\n${'word '.repeat(60)}`;
const texts = Array.from(
  { length: 12 },
  (_, n): Row => ({ kind: 'markdown', id: `m/${n}`, turnId: 't', text: textOf(n) }),
);
const end: EndRow = {
  kind: 'end',
  id: 't/end',
  turnId: 't',
  state: 'complete',
  durationMs: 4_000,
  changes: { files: 2, added: 3, removed: 1, status: 'open', canKeep: true, canUndo: true, canRedo: false },
};
const place = (page: Page) =>
  page
    .getByRole('log')
    .evaluate((it) => ({ top: it.scrollTop, left: it.scrollHeight - it.scrollTop - it.clientHeight }));
const drawn = (page: Page) =>
  page.evaluate(
    () =>
      new Promise((done) => void requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );
/** Where it is when a smooth scroll has ended: ten frames in one place. */
const atRest = (page: Page) =>
  page.getByRole('log').evaluate(
    (it) =>
      new Promise<number>((done) => {
        let [at, frames] = [it.scrollTop, 0];
        const look = () => {
          frames = it.scrollTop === at ? frames + 1 : 0;
          at = it.scrollTop;
          if (frames === 10) done(at);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );

describe('the end of a chat in a browser', () => {
  let harness: ChatHarness;
  let opened: OpenPage;
  let seq = 0;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('counts the files that are left, and says why a button waits', async () => {
    const { page, send } = await harness.open();
    const changes = { ...end.changes!, left: 1, canUndo: 'later' as const };
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows: [{ ...end, changes }] } });
    await page.getByText('1 of 2 files left').waitFor();
    const undo = page.getByRole('button', { name: 'Undo all' });
    assert.deepEqual(
      [await undo.isDisabled(), await undo.getAttribute('title')],
      [true, 'Available when the agent has finished'],
    );
    assert.equal(await page.getByRole('button', { name: 'Keep all' }).isDisabled(), false);
    await page.close();
  });

  async function show(): Promise<Page> {
    opened = await harness.open();
    seq = 1;
    await opened.send({ type: 'model', seq, model: { head: headOf(running), rows: texts } });
    await opened.page.getByText('Part 11').waitFor({ state: 'attached' });
    await opened.rest();
    return opened.page;
  }
  const endTurn = () =>
    opened.send({
      type: 'patch',
      seq: ++seq,
      head: headOf(),
      splice: { at: texts.length, remove: 0, insert: [end.id] },
      rows: [end],
    });

  /** Messages wait, so that the list of them grows at the same moment. */
  const stopTurn = async (page: Page, press: () => Promise<void>) => {
    const queue = [{ id: 'q', text: 'next' }];
    await opened.send({ type: 'patch', seq: ++seq, head: headOf({ ...running, queue }) });
    await page.getByText('next').waitFor();
    await press();
    await opened.send({
      type: 'patch',
      seq: ++seq,
      head: headOf({ queue, isPaused: true }),
      splice: { at: texts.length, remove: 0, insert: ['t/end'] },
      rows: [{ kind: 'end', id: 't/end', turnId: 't', state: 'cancelled' }],
    });
    await page.getByText('Paused').waitFor();
  };

  /** What moves the text under a reader who does nothing, each a moment in which the end was once lost. */
  const moves: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'the turn ends and its bar comes': endTurn,
    'the activity goes before the bar is drawn': async (page) => {
      await page.evaluate(() => document.querySelector<HTMLElement>('#activity')!.replaceChildren());
      await endTurn();
    },
    'text goes and more text comes before the browser says that it scrolled': async (page) => {
      await page.evaluate(() => {
        const log = document.querySelector<HTMLElement>('#log')!;
        const turns = document.querySelector<HTMLElement>('#turns')!;
        const last = turns.querySelector<HTMLElement>('.turn')!.lastElementChild as HTMLElement;
        last.style.display = 'none';
        void log.scrollTop; // the browser moves it up
        last.style.display = '';
        last.style.paddingBottom = '160px';
      });
    },
    'the field below grows and shrinks': async (page) => {
      const message = page.getByRole('textbox', { name: 'Message' });
      await message.fill('line\n'.repeat(8));
      await drawn(page);
      await message.fill('');
    },
    'its turn is stopped with the button below': (page) =>
      stopTurn(page, () => page.getByRole('button', { name: /^Stop/ }).click()),
    'its turn is stopped while a button in its text is pressed': (page) =>
      stopTurn(page, async () => {
        await page.getByRole('log').evaluate((it) => {
          const button = document.createElement('button');
          button.textContent = 'Allow';
          [...it.querySelectorAll('.turn .row')].at(-1)!.append(button);
        });
        // With the mouse alone: a click of the driver may scroll the button to other places first, as no person does.
        await drawn(page);
        const { x, y, width, height } = (await page.getByRole('button', { name: 'Allow' }).boundingBox())!;
        await page.mouse.click(x + width / 2, y + height / 2);
      }),
    'the window gets narrower and wider': async (page) => {
      await page.setViewportSize({ width: 420, height: 500 });
      await drawn(page);
      await page.setViewportSize({ width: 1280, height: 720 });
    },
    'a picture arrives late': (page) =>
      page.evaluate(() => {
        const picture = document.createElement('div');
        picture.style.height = '300px';
        document.querySelector('#turns .turn .row')!.append(picture);
      }),
  };
  for (const [what, move] of Object.entries(moves)) {
    it(`a chat at its end stays there when ${what}`, async () => {
      const page = await show();
      assert.ok((await place(page)).top > 100, 'there is something to scroll');
      await move(page);
      await drawn(page);
      await opened.send({
        type: 'patch',
        seq: ++seq,
        texts: [{ partId: 'm/11', offset: textOf(11).length, text: `\n\n${'more '.repeat(200)}` }],
      });
      await page.getByText(/more more/).waitFor({ state: 'attached' });
      await opened.rest();
      const { left } = await place(page);
      assert.ok(left <= 24, `${left} pixels are below the edge`);
      await page.close();
    });
  }

  /** How a person leaves the end. */
  const ways: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'with the wheel': async (page) => {
      await page.getByRole('log').hover();
      await page.mouse.wheel(0, -300);
    },
    'with Page Up': async (page) => {
      await page.getByRole('log').focus();
      await page.keyboard.press('PageUp');
    },
    'with Home': async (page) => {
      await page.getByRole('log').focus();
      await page.keyboard.press('Home');
    },
    'by a search that jumps to what it found': (page) =>
      page.getByRole('log').evaluate((it) => it.scrollTo({ top: 60 })),
  };
  for (const [how, leave] of Object.entries(ways)) {
    it(`whoever leaves the end ${how} stays where they read, also when the turn ends`, async () => {
      const page = await show();
      const before = (await place(page)).top;
      await leave(page);
      await page.waitForFunction((top) => document.querySelector('#log')!.scrollTop < top - 100, before);
      await page.waitForFunction(() => !document.querySelector<HTMLElement>('#to-end')!.hidden);
      const was = await atRest(page);
      await endTurn();
      await page.getByRole('button', { name: 'Review changes' }).waitFor({ state: 'attached' });
      await opened.rest();
      assert.equal((await place(page)).top, was);
      await page.locator('#to-end').click();
      await page.waitForFunction(() => {
        const log = document.querySelector('#log')!;
        return log.scrollHeight - log.scrollTop - log.clientHeight <= 24;
      });
      await page.close();
    });
  }
});
