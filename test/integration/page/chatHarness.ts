import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import type { ChatFromPage, ChatToPage, FirstModel } from '../../../src/webviews/contract/chat.ts';
import type { ChatHead, Row, ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { projectRoot } from '../../support/cache.ts';
import { shareBrowser } from '../../support/editor/sharedBrowser.ts';

const csp =
  "default-src 'none'; script-src 'self' 'nonce-test'; style-src 'self'; font-src data:; img-src 'self' data:";
const htmlOf = ({
  first,
  saved,
}: Given) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="${csp}"><link rel="stylesheet" href="/chat.css"></head>
<body class="vscode-dark"><script nonce="test">
window.said = [];
window.acquireVsCodeApi = () => ({ postMessage: (it) => window.said.push(it), getState: () => (${JSON.stringify(saved)}), setState: (it) => (window.kept = it) });
</script>${first ? `<script type="application/json" id="first">${JSON.stringify(first)}</script>` : ''}<script type="module" src="/chat.js"></script></body></html>`;
const around = `<!DOCTYPE html><html lang="en"><head><link rel="icon" href="data:,"></head><body><input aria-label="List"><iframe src="/" title="Chat"></iframe></body></html>`;
const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', ttf: 'font/ttf' };

/** The built chat page in a browser, with the test in the extension's place. */
export interface ChatHarness {
  open(given?: Given): Promise<OpenPage>;
  /** In a frame, beside a field named `List` of the page around it. */
  openBeside(): Promise<{ readonly page: Page; readonly chat: Frame }>;
  close(): Promise<void>;
}
interface Given {
  /** The model that the page contains. */
  readonly first?: FirstModel;
  /** The state that the page saved before. */
  readonly saved?: object;
  /** Served in place of the page that contains the model, in a page that was open before: it has what the browser keeps. */
  readonly kept?: { readonly html: string; readonly page?: Page };
}
export interface OpenPage {
  readonly page: Page;
  send(message: ChatToPage): Promise<void>;
  /** Waits until nothing on it moves: fonts are there, and the log is as high as it was for some frames. */
  rest(): Promise<void>;
  /** What the page asked for so far, of one type. */
  said<T extends ChatFromPage['type']>(type: T): Promise<Extract<ChatFromPage, { type: T }>[]>;
  /** Errors and refused loads. */
  readonly complaints: string[];
}

export async function startChatHarness(): Promise<ChatHarness> {
  let html = htmlOf({});
  const server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1).split('?', 1)[0]!;
    if (name === '' || name === 'around') {
      response.setHeader('content-type', 'text/html');
      response.end(name === '' ? html : around);
      return;
    }
    response.setHeader('content-type', types[name.split('.').at(-1) ?? ''] ?? 'text/plain');
    response.end(readFileSync(join(projectRoot, 'dist', 'media', name.replace(/[^\w.-]/g, ''))));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const browser = await shareBrowser();
  return {
    open: async (given = {}) => {
      html = given.kept?.html ?? htmlOf(given);
      return openPage(given.kept?.page ?? (await browser.newPage()), `http://127.0.0.1:${port}/`);
    },
    openBeside: async () => {
      html = htmlOf({});
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/around`);
      const chat = page.frames().find((it) => it !== page.mainFrame()) as Frame;
      await chat.getByRole('textbox', { name: 'Message' }).waitFor();
      return { page, chat };
    },
    close: async () => {
      await browser.close();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function openPage(page: Page, address: string): Promise<OpenPage> {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (it) => {
    if (it.type() === 'error') complaints.push(it.text());
  });
  await page.goto(address);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  return {
    page,
    complaints,
    rest: () => page.evaluate(untilStill),
    send: (message) =>
      page
        .evaluate((it) => window.dispatchEvent(new MessageEvent('message', { data: it })), message)
        .then(() => undefined),
    said: (type) =>
      page.evaluate(
        (wanted) => (window as unknown as { said: ChatFromPage[] }).said.filter((it) => it.type === wanted),
        type,
      ) as never,
  };
}

/** Runs in the page. What is drawn late, a font for one, moves the log as a person who scrolls does. */
async function untilStill(): Promise<void> {
  await document.fonts.ready;
  const log = document.querySelector('#log');
  const look = () => `${log?.scrollHeight} ${log?.clientHeight} ${log?.scrollTop}`;
  let [last, frames] = [look(), 0];
  while (frames < 6) {
    await new Promise((done) => void requestAnimationFrame(done));
    const now = look();
    frames = now === last ? frames + 1 : 0;
    last = now;
  }
}

/** A theme of VS Code as its pages see it, from the editor itself: the class of the body, and the variables that the styles name. */
interface Theme {
  readonly body: string;
  readonly variables: Readonly<Record<string, string>>;
}
export const themes = JSON.parse(
  readFileSync(join(projectRoot, 'test', 'fixtures', 'themes', 'themes.json'), 'utf8'),
) as Readonly<Record<string, Theme>>;

export async function useTheme(page: Page, name: string): Promise<void> {
  await page.evaluate(({ body, variables }) => {
    document.body.className = body;
    const { style } = document.documentElement;
    for (const [variable, value] of Object.entries(variables)) style.setProperty(variable, value);
  }, themes[name]!);
}

export function headOf(more: Partial<ChatHead> = {}): ChatHead {
  return {
    phase: 'ready',
    title: 'Dates',
    hasOlder: false,
    composer: {
      draft: '',
      pickers: [],
      hasOptions: false,
      attachments: [],
      hasSelection: false,
      unsavedFiles: 0,
      canSteer: true,
    },
    queue: [],
    isPaused: false,
    banners: [],
    settings: { showReasoning: false },
    restore: {},
    ...more,
  };
}

export const running = { turn: { id: 't', startedAt: '2026-11-21T00:00:00Z', needsYou: false } };

/** An edit that is done. */
export const editRow = (id: string, more: Partial<ToolRow> = {}): ToolRow => ({
  kind: 'tool',
  id: `t/${id}`,
  turnId: 't',
  toolCallId: id,
  state: 'done',
  toolKind: 'edit',
  title: `Edited ${id}`,
  files: [{ label: 'src/a.ts', change: 'edited', added: 1, removed: 1 }],
  paths: [],
  durationMs: 4_000,
  ...more,
});

export function textRow(text: string): Row {
  return { kind: 'markdown', id: 't/0', turnId: 't', text };
}
