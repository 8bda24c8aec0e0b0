import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type HeadlessBrowser, launchBrowser } from '../../support/editor/browser.ts';
import { linkBuiltIn } from '../../support/editor/codeServer.ts';
import { installExtensions, type ServedEditor, serveEditor } from '../../support/editor/server.ts';
import type { Backend, BackendOptions } from './backend.ts';

/** What is installed, for all suites of a run. A browser each has of its own: one that hangs is the end of one suite. */
let extensions: Promise<string> | undefined;

/** For the end of a run. */
export async function endShared(): Promise<void> {
  if (extensions) rmSync(await extensions, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  extensions = undefined;
}

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
    extensions ??= installed(options.packages);
    const folder = await extensions;
    const places = { packages: options.more, extensions: folder, builtIn: builtInOf(folder) };
    const server = await serveEditor({ ...options, ...places });
    return new ServedBackend(server, options.viewport);
  }

  /** Each window has its own storage, as windows of two browsers have. */
  async openPage(folder: string | undefined): Promise<Page> {
    this.#browser ??= await launchBrowser();
    // Without a GPU, the processor draws each frame of an animation.
    const context = await this.#browser.browser.newContext({ viewport: this.#viewport, reducedMotion: 'reduce' });
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

/** All suites use the same packages. The folder lies far from the project: an extension finds no module that it did not bring. */
async function installed(packages: readonly string[]): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-extensions-')));
  await installExtensions(packages, folder);
  await linkBuiltIn(builtInOf(folder));
  return folder;
}

/** The name begins with a dot so that the editor does not take the folder for an extension. */
const builtInOf = (folder: string) => join(folder, '.built-in');
