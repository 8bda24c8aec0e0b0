import type { Page } from 'playwright-core';
import { type HeadlessBrowser, launchBrowser } from '../../support/editor/browser.ts';
import { type ServedEditor, serveEditor } from '../../support/editor/server.ts';
import type { Backend, BackendOptions } from './backend.ts';

/** The npm-delivered VS Code, served on loopback and drawn by a headless browser. */
export class ServedBackend implements Backend {
  readonly #server: ServedEditor;
  readonly #viewport: BackendOptions['viewport'];
  #browser: HeadlessBrowser | undefined;

  private constructor(server: ServedEditor, viewport: BackendOptions['viewport']) {
    this.#server = server;
    this.#viewport = viewport;
  }

  static async open(options: BackendOptions): Promise<Backend> {
    return new ServedBackend(await serveEditor(options), options.viewport);
  }

  /** Each window has its own storage, as windows of two browsers have. */
  async openPage(folder: string | undefined): Promise<Page> {
    this.#browser ??= await launchBrowser();
    const context = await this.#browser.browser.newContext({ viewport: this.#viewport });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    await page.goto(this.#server.addressOf(folder));
    return page;
  }

  async closePage(page: Page): Promise<void> {
    await page.context().close();
  }

  async kill(): Promise<void> {
    await this.#browser?.kill();
    this.#browser = undefined;
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    this.#browser = undefined;
    this.#server.close();
  }
}
