import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { chatParts, digestOf, packed } from '../../../packChat.ts';
import type { ChatToPage, FirstModel } from '../../../src/webviews/contract/chat.ts';
import type { Row, TextRow } from '../../../src/webviews/contract/chatModel.ts';
import { betweenParts, importer, keptParts } from '../../../src/webviews/contract/keptParts.ts';
import { noticeParts, type PageParts, type PartsElsewhere, toDocument } from '../../../src/webviews/pageDocument.ts';
import { projectRoot } from '../../support/cache.ts';
import { until } from '../../support/until.ts';
import { type ChatHarness, editRow, headOf, startChatHarness, textRow } from './chatHarness.ts';

const TURNS = 30;
const rows: readonly Row[] = Array.from({ length: TURNS }, (_, n): Row[] => {
  const of = { turnId: `t${n}` };
  return [
    { ...of, kind: 'prompt', id: `t${n}/prompt`, text: `Question ${n}.`, attachments: [] },
    { ...of, kind: 'markdown', id: `t${n}/0`, text: `Answer ${n}. ${'Some words. '.repeat(200)}` },
  ];
}).flat();

const early: ChatToPage = { type: 'compose', text: 'Early.', focus: false };
const read = (name: string) => readFileSync(join(projectRoot, 'dist', 'media', name), 'utf8');
const parts = chatParts({ style: read('chat.css'), script: read('chat.js') });

interface FromEditor {
  /** The page is told that its parts are on their way. */
  readonly areComing: boolean;
  /** When the editor sends them. */
  readonly sends: 'at once' | 'when asked';
  readonly message?: Uint8Array;
}

/** What the editor adds to a page. It checks nothing before it has loaded, and sends a message as soon as it has. */
const ofEditor = ({ sends, message = packed(parts) }: FromEditor) => `<script>
window.said = [];
const sendParts = () => postMessage({ type: 'parts', parts: Uint8Array.from(atob('${Buffer.from(message).toString('base64')}'), (it) => it.charCodeAt(0)) });
const answer = (it) => { if (it.type === 'kept' && !it.isKept && ${sends === 'when asked'}) sendParts(); };
window.acquireVsCodeApi = () => ({ postMessage: (it) => { window.said.push(it); answer(it); }, getState: () => undefined, setState: () => {} });
const loaded = new Promise((resolve) => addEventListener('load', resolve));
loaded.then(() => { postMessage(${JSON.stringify(early)}); if (${sends === 'at once'}) sendParts(); });
const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = (...it) => loaded.then(() => new Promise((resolve) => setTimeout(resolve, 20))).then(() => digest(...it));
</script>`;

/** A page as the editor gets it. */
const pageOf = (its: PageParts | PartsElsewhere, first?: FirstModel) =>
  toDocument({
    parts: its,
    nonce: 'once',
    source: "'self'",
    base: '/',
    language: 'en',
    title: 'Chat',
    bodyClass: 'vscode-dark',
    isStyled: false,
    ...(first && { first: JSON.stringify(first) }),
  });

const bareDocument = (first: FirstModel, areComing: boolean) => pageOf({ digests: digestOf(parts), areComing }, first);

function documentOf(first: FirstModel, editor: FromEditor): string {
  return bareDocument(first, editor.areComing).replace('<head>', `<head>${ofEditor(editor)}`);
}

describe('a chat page that opens', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('draws the visible turns immediately, and earlier turns when the page is idle', async () => {
    const { page, complaints } = await harness.open();
    const atOnce = await page.evaluate(
      (data) => {
        window.dispatchEvent(new MessageEvent('message', { data }));
        const turns = [...document.querySelectorAll('.turn')];
        return turns.map((it) => it.textContent?.includes('Answer') === true);
      },
      { type: 'model', seq: 1, model: { head: headOf(), rows } },
    );
    assert.equal(atOnce.length, TURNS);
    assert.equal(atOnce.at(-1), true);
    assert.equal(atOnce[0], false);
    const first = page.locator('.turn').first();
    await first.getByText('Answer 0.').waitFor({ state: 'attached' });
    await first.locator('.bubble-text', { hasText: 'Question 0.' }).waitFor({ state: 'attached' });
    assert.equal(await page.locator('.row-prompt .row-actions').count(), TURNS);
    assert.equal(await page.locator('.answer-actions').count(), TURNS);
    assert.equal(await first.getAttribute('aria-label'), 'Turn: Question 0.');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  const first: FirstModel = { id: 'p', message: { type: 'model', seq: 1, model: { head: headOf(), rows } } };

  it('draws the model that it contains without a message, applies patches to it, and remembers that it drew it', async () => {
    const { page, send, said, complaints } = await harness.open({ first });
    assert.equal(await page.locator('.turn').last().getByText('Answer 29.').count(), 1);
    assert.equal((await said('ready')).length, 1);
    const texts = [{ partId: 't29/0', offset: (rows.at(-1) as TextRow).text.length, text: 'And more.' }];
    await send({ type: 'patch', seq: 2, texts });
    await page.getByText('And more.').waitFor();
    assert.equal((await said('ready')).length, 1);
    assert.equal(await page.evaluate(() => (window as unknown as { kept: { first?: string } }).kept.first), 'p');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('adds earlier turns above what is visible when the page is idle, and announces none of them', async () => {
    const done = (n: number): Row => ({ ...editRow(`e${n}`), turnId: `t${n}`, id: `t${n}/e${n}` });
    const whole = rows.flatMap((row, n) => (row.kind === 'prompt' ? [row, done(n / 2)] : [row]));
    const last = whole.slice(-9);
    const earlier = whole.slice(0, -9);
    const { page, send, complaints } = await harness.open();
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows: last } });
    await page.locator('.turn').last().getByText('Answer 29.').waitFor();
    const splice = { at: 0, remove: 0, insert: earlier.map((it) => it.id) };
    const atOnce = await page.evaluate(
      (data) => {
        window.dispatchEvent(new MessageEvent('message', { data }));
        const turns = [...document.querySelectorAll('.turn')];
        return turns.map((it) => it.textContent?.includes('Answer') === true);
      },
      { type: 'patch', seq: 2, splice, rows: earlier },
    );
    assert.equal(atOnce.length, TURNS);
    assert.deepEqual([atOnce[0], atOnce.at(-1)], [false, true]);
    const first = page.locator('.turn').first();
    await first.getByText('Answer 0.').waitFor({ state: 'attached' });
    await first.locator('.answer-actions').waitFor({ state: 'attached' });
    assert.equal(await first.getAttribute('aria-label'), 'Turn: Question 0.');
    const isAtEnd = () => {
      const log = document.querySelector('#log')!;
      return log.scrollHeight - log.scrollTop - log.clientHeight < 2;
    };
    assert.equal(await page.evaluate(isAtEnd), true);
    // What happens afterwards is announced, and it is the first announcement.
    const turn = { id: 'now', startedAt: '2026-11-21T00:00:00Z', needsYou: false };
    await send({ type: 'patch', seq: 3, head: headOf({ turn }) });
    await page.locator('#polite', { hasText: /./ }).waitFor({ state: 'attached' });
    assert.equal(await page.locator('#polite').textContent(), 'The agent is working.');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('asks for the model when it is shown again, and does not draw the one that it contains', async () => {
    const { page, send, said } = await harness.open({ first, saved: { first: 'p', draft: 'A draft' } });
    assert.equal(await page.locator('.turn').count(), 0);
    assert.notEqual((await said('ready')).length, 0); // it asks again for as long as nothing comes
    await send({ type: 'model', seq: 5, model: { head: headOf(), rows: [textRow('Newer.')] } });
    await page.getByText('Newer.').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'A draft');
    await page.close();
  });

  it('immediately shows a search result in a turn that is not visible', async () => {
    const { page, send } = await harness.open();
    await send({ type: 'model', seq: 1, model: { head: headOf({ wanted: 't1' }), rows } });
    await page.locator('.turn.is-found', { hasText: 'Answer 1.' }).waitFor();
    await page.close();
  });

  it('contains neither its script nor its style, and little else', () => {
    const html = bareDocument(first, true);
    assert.equal(html.length - JSON.stringify(first).length < 3_500, true, `${html.length} characters`);
  });

  it('runs the script that the editor sends it, then the one that this page left in the browser, and each time receives what came before', async () => {
    const sent = await harness.open({ kept: { html: documentOf(first, { areComing: true, sends: 'at once' }) } });
    await until('the browser keeps the parts', async () => (await sent.said('kept'))[0]?.isKept);
    const lookOf = () => {
      const looks = [...document.querySelectorAll('.turn:last-child *')].map((it) => getComputedStyle(it));
      return looks.map(({ display, font, color, width, padding }) => [display, font, color, width, padding]);
    };
    const earlyIsThere = async () => {
      assert.equal(await sent.page.locator('.turn').last().getByText('Answer 29.').count(), 1);
      const message = sent.page.getByRole('textbox', { name: 'Message' });
      await until('the early message is there', async () => (await message.inputValue()) === 'Early.');
    };
    await earlyIsThere();
    const look = await sent.page.evaluate(lookOf);
    const html = documentOf(first, { areComing: false, sends: 'when asked' });
    const kept = await harness.open({ kept: { html, page: sent.page } });
    await earlyIsThere();
    assert.deepEqual(await kept.page.evaluate(lookOf), look);
    assert.deepEqual(await kept.said('kept'), []);
    assert.deepEqual([...sent.complaints, ...kept.complaints], []);
    await kept.page.close();
  });

  it('runs the same script as other pages, with no nonce of its own, so that the browser compiles it once; and loads what it needs later', async () => {
    const message = { ...first.message, model: { head: headOf(), rows: [textRow('```js\nlet a = 1;\n```\n\n$a^2$')] } };
    const html = documentOf({ ...first, message }, { areComing: true, sends: 'at once' });
    const { page, complaints } = await harness.open({ kept: { html } });
    await page.locator('.code .hljs-keyword').waitFor();
    await page.locator('math').waitFor();
    const nonces = await page.evaluate(() => [...document.scripts].slice(-2).map((it) => it.nonce));
    assert.deepEqual([nonces, complaints], [['once', ''], []]);
    const refused = await page.evaluate(
      async ([name, own]) => {
        const load = (globalThis as unknown as Record<string, (file: unknown) => Promise<unknown>>)[name]!;
        await load('./mathml.js');
        const others = [own, '/mathml.js', '../mathml.js', 'data:text/javascript,', 'mathml.js', new URL(own)];
        const whys = others.map((it) => load(it).then(String, String));
        const { writable, configurable } = Object.getOwnPropertyDescriptor(globalThis, name)!;
        return [writable, configurable, ...new Set((await Promise.all(whys)).map((it) => it.split(':')[0]))];
      },
      [importer, new URL('mathml.js', page.url()).href] as const,
    );
    assert.deepEqual(refused, [false, false, 'TypeError']);
    await page.close();
  });

  it('does not run anything else that is in the browser, and asks for its parts', async () => {
    const html = documentOf(first, { areComing: false, sends: 'when asked' });
    const { page, said } = await harness.open({ kept: { html } });
    for (const change of ["it + ';window.hasRun = true'", "'p {}\\0window.hasRun = true'", "''"]) {
      await until('the browser keeps the parts', async () => (await said('kept')).some((it) => it.isKept));
      await page.evaluate(`{
        const it = localStorage.getItem('${keptParts}');
        localStorage.setItem('${keptParts}', ${change});
      }`);
      await page.reload();
      await page.locator('.turn').last().getByText('Answer 29.').waitFor();
      assert.equal((await said('kept'))[0]?.isKept, false);
      assert.equal(await page.evaluate('window.hasRun'), undefined);
    }
    await page.close();
  });

  it('asks for parts that do not come, as messages to a hidden page', async () => {
    const html = documentOf(first, { areComing: true, sends: 'when asked' });
    const { page, said } = await harness.open({ kept: { html } });
    await page.locator('.turn').last().getByText('Answer 29.').waitFor();
    assert.equal((await said('kept'))[0]?.isKept, false);
    await page.close();
  });

  it('asks for its parts where the browser keeps nothing', async () => {
    const html = documentOf(first, { areComing: false, sends: 'when asked' });
    const refusing =
      "<script>Object.defineProperty(window, 'localStorage', { get: () => { throw new Error('refused'); } });</script>";
    const { page, said, complaints } = await harness.open({
      kept: { html: html.replace('<head>', `<head>${refusing}`) },
    });
    await page.locator('.turn').last().getByText('Answer 29.').waitFor();
    assert.deepEqual(await said('kept'), [{ type: 'kept', isKept: false }]);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  for (const [what, message] of [
    ['parts of another build', packed({ ...parts, script: 'window.hasRun = true' })],
    ['a part of the message', packed(parts).subarray(0, 50_000)],
    ['a message that is not compressed', new TextEncoder().encode(`\0window.hasRun = true`)],
  ] as const) {
    it(`does not run ${what}, and tells the editor`, async () => {
      const { page, said } = await harness.open();
      const html = documentOf(first, { areComing: true, sends: 'at once', message });
      await page.route('**/', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      await page.reload();
      await until('the page refuses them', async () => (await said('wrongParts')).length > 0);
      assert.equal(await page.evaluate('window.hasRun'), undefined);
      assert.deepEqual(await page.evaluate(() => document.querySelectorAll('#style, #script').length), 0);
      await page.close();
    });
  }

  for (const [where, areComing] of [
    ['that the editor sends', true],
    ['that the browser keeps', false],
  ] as const) {
    it(`runs a script ${where} once if it throws at its start, and does not refuse it`, async () => {
      const script = 'window.runs = (window.runs ?? 0) + 1; throw new Error("thrown at the start");';
      const throwing = { ...parts, script };
      const { page, complaints } = await harness.open();
      const from = ofEditor({ areComing, sends: areComing ? 'at once' : 'when asked', message: packed(throwing) });
      const html = pageOf({ digests: digestOf(throwing), areComing }, first).replace('<head>', `<head>${from}`);
      await page.route('**/', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      const kept = areComing ? '' : `${throwing.style}${betweenParts}${script}`;
      await page.evaluate(([name, it]) => localStorage.setItem(name, it), [keptParts, kept] as const);
      await page.reload();
      await until('it runs', () => page.evaluate('window.runs'));
      // A page that asks for its parts does so in the first timer.
      await page.evaluate(() => new Promise((resolve) => void setTimeout(resolve)));
      assert.deepEqual([await page.evaluate('window.runs'), await page.evaluate('window.said')], [1, []]);
      assert.deepEqual(complaints, ['thrown at the start']);
      await page.close();
    });
  }

  it('has a message in its place that offers what helps, and runs nothing else', async () => {
    const { page, said, complaints } = await harness.open();
    const text = 'A </script> file is missing.';
    const notice = pageOf(noticeParts(text, 'Reload & try', { type: 'reload' }));
    const api =
      '<script nonce="once">window.said = []; window.acquireVsCodeApi = () => ({ postMessage: (it) => window.said.push(it) });</script>';
    const html = notice.replace('</head>', `</head>${api}<script>window.hasRun = true</script>`);
    await page.route('**/', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.reload();
    assert.equal(await page.getByRole('alert').textContent(), text);
    await page.getByRole('button', { name: 'Reload & try' }).click();
    assert.equal((await said('reload')).length, 1);
    assert.equal(await page.evaluate('window.hasRun'), undefined);
    assert.equal(complaints.length, 1, 'only the other script is refused');
    await page.close();
  });

  it('applies messages that arrive before the first model', async () => {
    const { page, send } = await harness.open();
    await send({ type: 'compose', text: '/tour', focus: true });
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows: [] } });
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), '/tour');
    await page.close();
  });

  it('decodes named characters, and leaves unknown names as they are', async () => {
    const { page, send } = await harness.open();
    const text = '&copy; &hearts; &semi; &lt;b&gt; &#65; &notit; &nosuch; `&copy;`';
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows: [textRow(text)] } });
    const shown = await page.locator('.markdown p').textContent();
    assert.equal(shown, '© ♥ ; <b> A &notit; &nosuch; &copy;');
    await page.close();
  });
});
