import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Frame } from 'playwright-core';
import { Editor } from '../../vscode/driver/editor.ts';
import { endShared } from '../../vscode/driver/servedBackend.ts';
import { until } from '../../vscode/driver/until.ts';
import type { EditorWindow } from '../../vscode/driver/window.ts';
import { openBenchHost } from '../benchHost.ts';
import { alternate, type Row, ratioRow } from '../measure.ts';
import { seedTurns } from '../seed.ts';

const SESSIONS = 3;
/** A page opens so quickly that other work on the machine distorts single readings. */
const PAIRS = 9;
const SHORT = 50;
const LONG = 5_000;
const TURN_BYTES = 2_000;
const TOKENS_PER_SECOND = 500;
const STREAM_SECONDS = 12;
/** Far longer than a page takes to draw. */
const REPLACED_MS = 3_000;
/** Left out at the begin of a stream: the page draws its first turn. */
const SETTLE_SECONDS = 2;
const agent = join(import.meta.dirname, '../streamAgent.child.ts');

interface Chats {
  readonly short: string;
  readonly long: string;
  readonly other: string;
}

/**
 * The chat in a real VS Code beside a webview that holds one word: until it shows its last turn, in a new window and in one
 * that has shown webviews; a long chat beside a short one; and what a stream of 500 tokens a second costs the page.
 */
export async function chatPages(): Promise<readonly Row[]> {
  try {
    return [...(await openings()), ...(await streaming())];
  } finally {
    await endShared();
  }
}

async function openings(): Promise<readonly Row[]> {
  const host = openBenchHost();
  host.addRunbook('words', '# Words\n\nSome words.\n');
  const client = await host.connect();
  const made = [];
  for (let n = 0; n < SESSIONS; n += 1) {
    const chat = await client.newSession();
    await client.turn(chat.chat, '/words');
    made.push(chat);
  }
  const [short, long, other] = made;
  if (!short || !long || !other) throw new Error('three sessions are needed');
  client.sidecar.endInput();
  await host.place.killHost();
  await seedTurns(host.place.dataDir, short.chat, SHORT, TURN_BYTES);
  await seedTurns(host.place.dataDir, long.chat, LONG, TURN_BYTES);
  await seedTurns(host.place.dataDir, other.chat, SHORT, TURN_BYTES);
  const editor = await Editor.open('bench-chat', {
    env: {}, // an editor of its own: the one that suites share does not use the data that is prepared here
    prepare: ({ dataDir }) =>
      cpSync(host.place.dataDir, join(dataDir, 'data', 'User', 'globalStorage', 'switchboard.switchboard'), {
        recursive: true,
      }),
  });
  try {
    return await opened(editor, { short: short.session, long: long.session, other: other.session });
  } finally {
    await editor.close();
    await host.close();
  }
}

async function opened(editor: Editor, chats: Chats): Promise<readonly Row[]> {
  const cold = await alternate(
    () => inNewWindow(editor, (window) => chatMs(window, chats.short)),
    () => inNewWindow(editor, emptyMs),
    PAIRS,
  );
  const window = await readyWindow(editor);
  await chatMs(window, chats.other);
  await emptyMs(window);
  const warm = await alternate(
    () => chatMs(window, chats.short),
    () => emptyMs(window),
    PAIRS,
  );
  const lengths = await alternate(
    () => chatMs(window, chats.long),
    () => chatMs(window, chats.short),
    PAIRS,
  );
  await window.close();
  return [
    ratioRow('a chat opens in a new window, against an empty webview', cold, 1.5),
    ratioRow('a chat opens where webviews were shown, against an empty webview', warm, 1.3),
    ratioRow(`a chat of ${LONG} turns opens, against one of ${SHORT}`, lengths, 1.3),
  ];
}

async function inNewWindow(editor: Editor, measure: (window: EditorWindow) => Promise<number>): Promise<number> {
  const window = await readyWindow(editor);
  try {
    return await measure(window);
  } finally {
    await window.close();
  }
}

/** A window whose extension and host answer, and which has shown no page yet. */
async function readyWindow(editor: Editor): Promise<EditorWindow> {
  const window = await editor.openWindow();
  await window.openContainer('Switchboard');
  const sessions = await window.tree('Sessions');
  await until('the sessions are listed', async () => (await sessions.rows()).length >= SESSIONS, 120_000);
  return window;
}

/** Until the last turn is drawn. */
async function chatMs(window: EditorWindow, session: string): Promise<number> {
  await closeAll(window);
  const started = now();
  const commanded = window.probe.command('switchboard.session.open', session);
  const at = await drawnAt(window, 'extensionId=switchboard.switchboard', 'chat-text');
  await commanded;
  return at - started;
}

/** A panel with one word, which its script writes. */
async function emptyMs(window: EditorWindow): Promise<number> {
  await closeAll(window);
  const started = now();
  const commanded = window.probe.run(`
    const panel = vscode.window.createWebviewPanel('empty', 'Empty', vscode.ViewColumn.Active, { enableScripts: true });
    panel.webview.html = '<!DOCTYPE html><html><body><p></p><script>document.querySelector("p").append("ready")</script></body></html>';
  `);
  const at = await drawnAt(window, 'extensionId=switchboard-test.probe', 'p');
  await commanded;
  return at - started;
}

const now = () => performance.timeOrigin + performance.now();

/** A page on its way out would be taken for the next one. */
async function closeAll(window: EditorWindow): Promise<void> {
  await window.probe.command('workbench.action.closeAllEditors');
  await until('no page shows', () => !window.page.frames().some((it) => it.url().includes('extensionId=')));
}

async function frameOf(window: EditorWindow, owner: string): Promise<Frame> {
  return until(
    `a webview of ${owner}`,
    () => {
      const outer = window.page.frames().findLast((it) => it.url().includes(owner));
      return outer?.childFrames()[0];
    },
    { everyMs: 5 },
  );
}

/**
 * When the page drew the last element, by the page's own clock, because a call into the page takes longer than what is measured.
 * The editor replaces the document of a page while it creates the page. A call into the old document never returns.
 */
async function drawnAt(window: EditorWindow, owner: string, selector: string): Promise<number> {
  return until(
    `the page drew ${selector}`,
    async () => {
      const frame = await frameOf(window, owner);
      const replaced = new Promise<undefined>((resolve) => void setTimeout(resolve, REPLACED_MS));
      return Promise.race([frame.evaluate(drawnInPage, selector), replaced]);
    },
    { everyMs: 5 },
  );
}

/** Runs in the page. */
function drawnInPage(selector: string): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      if (![...document.querySelectorAll(selector)].at(-1)?.firstChild) return void setTimeout(look, 1);
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now())));
    };
    look();
  });
}

/** In an editor of its own: what windows that are closed leave behind would be counted as the page's heap. */
async function streaming(): Promise<readonly Row[]> {
  const editor = await Editor.open('bench-stream', {
    env: {},
    settings: {
      'switchboard.agents': [{ id: 'stream', displayName: 'Stream', command: process.execPath, args: [agent] }],
    },
  });
  try {
    return await streamed(editor);
  } finally {
    await editor.close();
  }
}

/** What the page says of itself while an agent writes. */
async function streamed(editor: Editor): Promise<readonly Row[]> {
  const window = await editor.openWindow();
  await window.openContainer('Switchboard');
  const alone = await heapOf(await window.page.context().newCDPSession(window.page));
  await window.command('Switchboard: New Session');
  const chat = await window.chat();
  const message = chat.getByRole('textbox', { name: 'Message' });
  await message.fill(`stream ${TOKENS_PER_SECOND} ${STREAM_SECONDS}`);
  await message.press('Enter');
  await chat.getByText('word1').first().waitFor();
  await chat.evaluate((ms) => new Promise((resolve) => void setTimeout(resolve, ms)), SETTLE_SECONDS * 1_000);
  const cdp = await sessionOf(window, chat);
  await cdp.send('Performance.enable');
  const before = await metricsOf(cdp);
  const seen = await chat.evaluate(watch, (STREAM_SECONDS - 2 * SETTLE_SECONDS) * 1_000);
  const after = await metricsOf(cdp);
  const worked = (['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'] as const).map(
    (it) => ((after.get(it) ?? 0) - (before.get(it) ?? 0)) * 1_000,
  );
  const heap = await heapOf(cdp);
  await window.close();
  const perFrame = worked.reduce((sum, it) => sum + it, 0) / seen.frames;
  const parts = `script ${worked[0]?.toFixed(0)} ms, layout ${worked[1]?.toFixed(0)} ms, style ${worked[2]?.toFixed(0)} ms in ${seen.frames} frames`;
  return [
    {
      name: `the longest task of the page at ${TOKENS_PER_SECOND} tokens a second`,
      value: Math.max(0, ...seen.tasks),
      limit: 50,
      unit: 'ms',
      detail: `${seen.tasks.length} tasks over 50 ms`,
    },
    { name: 'script and layout a frame meanwhile', value: perFrame, limit: 8, unit: 'ms', detail: parts },
    {
      name: 'live heap of the page and the window around it meanwhile',
      value: heap,
      limit: 150,
      unit: 'MB',
      detail: `after ${(STREAM_SECONDS - SETTLE_SECONDS) * TOKENS_PER_SECOND} tokens; ${alone.toFixed(0)} MB before the chat was opened`,
    },
  ];
}

/** Of the page's own process where it has one, else of the window's. */
async function sessionOf(window: EditorWindow, frame: Frame): Promise<CDPSession> {
  const context = window.page.context();
  return context.newCDPSession(frame).catch(() => context.newCDPSession(window.page));
}

/**
 * What is alive, in megabytes: the browser of the suites collects nothing before its heap is large. A page that has no process of its
 * own shares the heap of the window, so the figure is that of both.
 */
async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

async function metricsOf(cdp: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return new Map(metrics.map((it) => [it.name, it.value]));
}

/** Runs in the page. */
function watch(ms: number): Promise<{ frames: number; tasks: number[] }> {
  return new Promise((resolve) => {
    const tasks: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const it of list.getEntries()) tasks.push(it.duration);
    });
    observer.observe({ type: 'longtask' });
    let frames = 0;
    const end = performance.now() + ms;
    const count = () => {
      frames += 1;
      if (performance.now() < end) return void requestAnimationFrame(count);
      observer.disconnect();
      resolve({ frames, tasks });
    };
    requestAnimationFrame(count);
  });
}
