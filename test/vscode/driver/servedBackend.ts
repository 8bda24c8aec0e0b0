import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { type HeadlessBrowser, launchBrowser } from '../../support/editor/browser.ts';
import { installExtensions, type ServedEditor, serveEditor } from '../../support/editor/server.ts';
import type { Backend, BackendOptions } from './backend.ts';

/** What all suites of a run share: a browser, in which each window has a context of its own, and what is installed. */
let browser: HeadlessBrowser | undefined;
let extensions: Promise<string> | undefined;

/** For the end of a run. */
export async function endShared(): Promise<void> {
  await browser?.close();
  browser = undefined;
  if (extensions) rmSync(await extensions, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  extensions = undefined;
}

/** The npm-delivered VS Code, served on loopback and drawn by a headless browser. */
export class ServedBackend implements Backend {
  readonly #server: ServedEditor;
  readonly #viewport: BackendOptions['viewport'];
  readonly #contexts = new Set<BrowserContext>();

  private constructor(server: ServedEditor, viewport: BackendOptions['viewport']) {
    this.#server = server;
    this.#viewport = viewport;
  }

  static async open(options: BackendOptions): Promise<Backend> {
    extensions ??= installed(options.packages);
    const server = await serveEditor({ ...options, packages: [], extensions: await extensions });
    return new ServedBackend(server, options.viewport);
  }

  /** Each window has its own storage, as windows of two browsers have. */
  async openPage(folder: string | undefined): Promise<Page> {
    browser ??= await launchBrowser();
    const context = await browser.browser.newContext({ viewport: this.#viewport });
    this.#contexts.add(context);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    await page.goto(this.#server.addressOf(folder));
    return page;
  }

  async closePage(page: Page): Promise<void> {
    this.#contexts.delete(page.context());
    await page.context().close();
  }

  async kill(): Promise<void> {
    this.#contexts.clear();
    await browser?.kill();
    browser = undefined;
  }

  async close(): Promise<void> {
    for (const it of this.#contexts) await it.close();
    this.#contexts.clear();
    this.#server.close();
  }
}

/** All suites use the same packages. The folder lies far from the project: an extension finds no module that it did not bring. */
async function installed(packages: readonly string[]): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-extensions-')));
  await installExtensions(packages, folder);
  return folder;
}
