import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame, Page } from 'playwright-core';
import { cacheFolder } from '../support/cache.ts';
import { endProcessesMentioning, processesMentioning } from '../support/editor/processes.ts';
import { copyProject } from '../support/files/projectCopy.ts';
import { write } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { browserOfSuites } from './driver/servedPages.ts';
import { until } from './driver/until.ts';

describe('start: what npm start serves, as a newcomer meets it', () => {
  const pictures = join(cacheFolder, 'screenshots', 'start');
  let copy = '';
  let script: ChildProcess;
  let output = '';
  let page: Page;
  const folder = () => /the sample project is in (\S+)/.exec(output)?.[1] ?? '';
  const scratchFolder = () => dirname(folder());

  before(async () => {
    mkdirSync(pictures, { recursive: true });
    // It builds, and other tests run what the checkout has built at the same time.
    copy = copyProject('switchboard-start-copy-');
    script = spawn(process.execPath, ['run.mjs', 'start.ts'], {
      cwd: copy,
      env: { ...process.env, SWITCHBOARD_EDITOR: 'served', SWITCHBOARD_CACHE: cacheFolder },
    });
    script.stdout?.on('data', (chunk: Buffer) => (output += chunk));
    script.stderr?.on('data', (chunk: Buffer) => (output += chunk));
    const ended = new Promise<never>(
      (_, reject) => void script.once('exit', () => reject(new Error(`npm start ended:\n${output}`))),
    );
    ended.catch(() => undefined);
    const printed = until('npm start prints an address', () => /open (http:\S+)/.exec(output)?.[1], 280_000);
    const address = await Promise.race([printed, ended]);
    page = await (await browserOfSuites()).newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(address);
  });
  after(async () => {
    await page?.close();
    script?.kill('SIGKILL');
    if (folder() !== '') endProcessesMentioning(scratchFolder());
    if (copy !== '') rmSync(copy, { recursive: true, force: true });
  });

  it('says the Node version first, and one line for each long step', () => {
    assert.match(output.split('\n')[0] ?? '', /^node v\d+\./);
    assert.match(output, /start: building\n/);
  });

  it('asks at once whether the folder is trusted, and shows the views when it is', async () => {
    const trust = page.getByRole('button', { name: /^Yes, I trust the authors/ });
    await trust.waitFor({ timeout: 60_000 });
    await page.screenshot({ path: join(pictures, '01 not trusted yet.png') });
    await press(trust);
    await press(page.locator('.part.activitybar').getByRole('tab', { name: /^Switchboard/ }));
    for (const name of ['Sessions', 'Inbox', 'Changes'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByRole('treeitem', { name: 'Take the tour (2 min)' }).waitFor();
    await page.screenshot({ path: join(pictures, '02 views.png') });
  });

  it('answers a runbook prompt', async () => {
    await press(page.getByRole('treeitem', { name: 'New session' }));
    const chat = await until('the chat page is there', () => chatOf(page));
    const message = chat.getByRole('textbox', { name: 'Message' });
    await chat
      .getByRole('button', { name: /Runbook/ })
      .first()
      .waitFor();
    await write(message, '/new-fruit');
    await page.screenshot({ path: join(pictures, '03 prompt.png') });
    await press(chat.getByRole('button', { name: 'Send', exact: true }));
    await chat.getByRole('log').getByText('A new fruit needs a name and a price.').waitFor({ timeout: 30_000 });
    await page.screenshot({ path: join(pictures, '04 answer.png') });
  });

  it('leaves no process and no folder behind when Ctrl-C ends it', async () => {
    const scratch = scratchFolder();
    assert.ok(processesMentioning(scratch).length > 0);
    const ended = new Promise((resolve) => void script.once('exit', resolve));
    script.kill('SIGINT');
    await ended;
    assert.deepEqual(processesMentioning(scratch), []);
    assert.equal(existsSync(scratch), false);
  });
});

function chatOf(page: Page): Frame | undefined {
  return page
    .frames()
    .find((it) => it.url().includes('extensionId=switchboard.switchboard'))
    ?.childFrames()[0];
}
