import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type HeadlessBrowser, launchBrowser } from '../../support/editor/browser.ts';
import { emptyPage } from '../../support/editor/emptyPage.ts';
import { childrenOf, endProcess, endProcessesMentioning, processesMentioning } from '../../support/editor/processes.ts';
import { type ServedEditor, type ServeOptions, serveEditor, writeSettings } from '../../support/editor/server.ts';
import { hostDataDirOf, probeFolderOf } from './backend.ts';
import { ProbeFolder } from './probe.ts';
import { until } from './until.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Stops what the workbench animates even with reduced motion: progress bars, spinning icons, and scroll bars that fade. */
const still = `
  .monaco-progress-container .progress-bit, .codicon-modifier-spin, .codicon-modifier-spin::before, .wiggle { animation: none !important; }
  .monaco-scrollable-element > .scrollbar { transition: none !important; }
`;

/** Runs in each document before its scripts. */
function rest(styles: string): void {
  if (window !== window.top) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets.push(sheet);
}

/**
 * A server with the browser that draws its windows. The first window is always drawn by the same page: its process keeps
 * the compiled workbench, and opens the next window in two thirds of the time of a new process.
 */
export class ServedPlace {
  readonly #server: ServedEditor;
  #browser: HeadlessBrowser | undefined;
  #first: { readonly page: Page; isFree: boolean } | undefined;

  private constructor(server: ServedEditor) {
    this.#server = server;
  }

  static async start(options: ServeOptions): Promise<ServedPlace> {
    mkdirSync(join(options.dataDir, 'home'), { recursive: true });
    return new ServedPlace(await serveEditor(options));
  }

  get dataDir(): string {
    return this.#server.dataDir;
  }

  /** Each window has its own storage, as windows of two browsers have. */
  async openPage(folder: string | undefined, viewport: Size): Promise<Page> {
    const page = await this.#freePage(viewport);
    await page.goto(this.#server.addressOf(folder));
    return page;
  }

  async #freePage(viewport: Size): Promise<Page> {
    if (this.#first?.isFree) {
      this.#first.isFree = false;
      await this.#first.page.setViewportSize(viewport);
      return this.#first.page;
    }
    this.#browser ??= await launchBrowser();
    // Without a GPU, the processor draws each frame of an animation.
    const context = await this.#browser.browser.newContext({ viewport, reducedMotion: 'reduce' });
    await context.addInitScript(rest, still);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    this.#first ??= { page, isFree: false };
    return page;
  }

  async closePage(page: Page): Promise<void> {
    if (page === this.#first?.page) await this.#freeFirst();
    else await page.context().close();
  }

  async #freeFirst(): Promise<void> {
    if (!this.#first || this.#first.isFree) return;
    await emptyPage(this.#first.page, this.#server.blank);
    this.#first.isFree = true;
  }

  async kill(): Promise<void> {
    await this.#browser?.kill();
    this.#browser = undefined;
    this.#first = undefined;
  }

  /** Closes all windows and ends the hosts and what they started. Nothing of the user stays, except these settings. */
  async empty(settings: ServeOptions['settings'] = {}): Promise<void> {
    await this.#freeFirst();
    const others = this.#browser?.browser.contexts().filter((it) => it !== this.#first?.page.context()) ?? [];
    for (const it of others) await it.close();
    // Those of windows that were closed wait for them to come back, and start the host again.
    // Only those that are still there: another process may have the pid of one that ended.
    const children = new Set(childrenOf(this.#server.pid));
    for (const it of new ProbeFolder(probeFolderOf(this.dataDir)).pids()) if (children.has(it)) endProcess(it);
    const hosts = hostDataDirOf(this.dataDir);
    await until('no host runs', () => {
      endProcessesMentioning(hosts);
      return processesMentioning(hosts).length === 0;
    });
    for (const it of ['data/User', 'data/Machine', 'home', 'probe'])
      rmSync(join(this.dataDir, it), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    writeSettings(this.dataDir, settings);
    mkdirSync(join(this.dataDir, 'home'));
  }

  async end(): Promise<void> {
    await this.#browser?.close();
    this.#browser = undefined;
    this.endServer();
  }

  /** Ends it and all that it started at once, the browser left out. */
  endServer(): void {
    this.#server.close();
  }
}
