import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { openHostWithSessions } from '../../bench/benchHost.ts';
import { chooseAgent, say } from '../../vscode/driver/chat.ts';
import { untilSeen } from '../../vscode/driver/until.ts';
import type { EditorWindow } from '../../vscode/driver/window.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { writeRunbooks } from '../runbooks.ts';
import { inEditor, showOnly } from '../stage.ts';

const NARROW = 250;

/** The Sessions view after months of work: 200 sessions, and then a long title in a narrow side bar. */
export async function manySessions(album: Album<SubjectOf<'manySessions'>>): Promise<void> {
  const host = await openHostWithSessions(200);
  try {
    await inEditor(
      'many sessions',
      {
        env: {}, // an editor of its own: the one that scenes share does not use the data that is prepared here
        prepare: ({ workspace, dataDir }) => {
          writeRunbooks(workspace);
          const storage = join(dataDir, 'data', 'User', 'globalStorage', 'switchboard.switchboard');
          cpSync(host.place.dataDir, storage, { recursive: true });
        },
      },
      async (window) => {
        await showOnly(window, 'Sessions');
        const sessions = await window.tree('Sessions');
        await sessions.waitFor('/words');
        await album.take('sessions-many', window);
        await window.command('Switchboard: New Session');
        const chat = await window.chat();
        await chooseAgent(chat, 'Runbook');
        await say(chat, '/report with every price that changed since the last harvest, by kind and by weight');
        await chat.getByText('Prices are in cents everywhere.', { exact: true }).waitFor();
        await sessions.waitFor('/report with every price');
        await makeNarrow(window);
        await album.take('sessions-narrow', window);
      },
    );
  } finally {
    await host.close();
  }
}

/** Drags the border of the side bar. */
async function makeNarrow(window: EditorWindow): Promise<void> {
  const bar = window.page.locator('.part.sidebar');
  const { x = 0, y = 0, width = 0, height = 0 } = (await bar.boundingBox()) ?? {};
  const { mouse } = window.page;
  await mouse.move(x + width, y + height / 2);
  await mouse.down();
  await mouse.move(x + NARROW, y + height / 2, { steps: 10 });
  await mouse.up();
  await untilSeen(
    'the side bar is narrow',
    async () => Math.round((await bar.boundingBox())?.width ?? 0),
    (it) => Math.abs(it - NARROW) <= 3,
  );
}
