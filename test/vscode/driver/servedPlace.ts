import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { childrenOf, endProcess, endProcessesMentioning, processesMentioning } from '../../support/editor/processes.ts';
import { type ServedEditor, type ServeOptions, serveEditor, writeUserFiles } from '../../support/editor/server.ts';
import { type BackendOptions, hostDataDirOf, probeFolderOf } from './backend.ts';
import { ProbeFolder } from './probe.ts';
import { killBrowser, leavePage, takePage } from './servedPages.ts';
import { until } from './until.ts';

/** A server, and what is open of its windows. */
export class ServedPlace {
  readonly #server: ServedEditor;
  readonly #pages = new Set<Page>();

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

  async openPage(folder: string | undefined, viewport: BackendOptions['viewport']): Promise<Page> {
    const page = await takePage(viewport);
    this.#pages.add(page);
    await page.goto(this.#server.addressOf(folder));
    return page;
  }

  async closePage(page: Page): Promise<void> {
    if (this.#pages.delete(page)) await leavePage(page, this.#server.blank);
  }

  async kill(): Promise<void> {
    this.#pages.clear();
    await killBrowser();
  }

  /** Closes all windows and ends the hosts and what they started. Of the user, only these settings and this language stay. */
  async empty(user: Parameters<typeof writeUserFiles>[1] = {}): Promise<void> {
    for (const it of this.#pages) await this.closePage(it);
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
    writeUserFiles(this.dataDir, user);
    mkdirSync(join(this.dataDir, 'home'));
  }

  async end(): Promise<void> {
    for (const it of this.#pages) await this.closePage(it);
    this.endServer();
  }

  /** Ends it and all that it started at once, the windows left out. */
  endServer(): void {
    this.#server.close();
  }
}
