import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { projectRoot } from '../../support/cache.ts';
import { say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { press } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import { untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const read = (path: string) =>
  JSON.parse(readFileSync(join(projectRoot, path), 'utf8')) as Readonly<Record<string, string>>;

for (const { language, name } of [
  { language: 'de', name: 'German' },
  { language: 'zh-cn', name: 'Chinese' },
] as const) {
  const ofManifest = read(`package.nls.${language}.json`);
  const ofCode = read(`media/l10n/bundle.l10n.${language}.json`);
  const said = (key: string, ...values: string[]) => {
    const text = ofCode[key] ?? ofCode[`${key}/host`];
    assert.ok(text, key);
    return text.replaceAll(/\{(\d)\}/g, (_, at: string) => values[Number(at)] ?? '');
  };

  /** In order: each step stands on the one before. */
  describe(`an editor in ${name}`, () => {
    let editor: Editor;
    let window: EditorWindow;
    let chat: Frame;

    before(async () => {
      editor = await Editor.open(`language ${language}`, { language });
      window = await editor.openWindow();
    });
    inOrder(() => window);
    after(() => editor?.close());

    it('1c-21 has its views and their first rows in the language', async () => {
      await window.openContainer('Switchboard');
      for (const view of ['view.sessions', 'view.inbox', 'view.changes', 'view.customizations', 'view.gateway'])
        await window.page.getByRole('heading', { name: ofManifest[view] as string, exact: true }).waitFor();
      const sessions = await window.tree(ofManifest['view.sessions'] as string);
      for (const row of ['Take the tour (2 min)', 'New session']) await sessions.waitFor(said(row));
      await window.screenshot('views');
      await sessions.click(said('New session'));
      chat = await window.chat();
      await chat.getByText(said('What would you like to do?')).waitFor();
      await window.screenshot('new');
    });

    it('1c-21 asks for an approval in the language, with what the host says', async () => {
      await say(chat, '/check', said('Message'));
      const card = chat.getByRole('region', { name: said('Needs your approval: {0}', said('Run this command?')) });
      await card.getByRole('button', { name: said('Allow once'), exact: true }).waitFor();
      await (await window.tree(ofManifest['view.inbox'] as string)).waitFor('node --test');
      await untilSeen(
        'the status bar says so',
        () => window.statusBar(),
        (all) => all.some((it) => it.includes(said('1 needs you'))),
      );
      await window.screenshot('approval');
      await press(card.getByRole('button', { name: said('Deny'), exact: true }));
      await chat.locator('.tool-state', { hasText: said('denied') }).waitFor();
      await window.screenshot('denied');
    });
  });
}
