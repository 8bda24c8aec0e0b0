import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { resolveCliArgsFromVSCodeExecutablePath } from '@vscode/test-electron';
import { type Browser, chromium, type Page } from 'playwright-core';
import { languageArguments } from '../../support/editor/languagePack.ts';
import { endProcess, endProcessesMentioning } from '../../support/editor/processes.ts';
import { editorEnvironment, writeSettings } from '../../support/editor/server.ts';
import { type Backend, type BackendOptions, environmentOf } from './backend.ts';
import { until } from './until.ts';

/** A desktop VS Code, driven through its debugging port: its windows are Chromium pages like any other. */
export class DesktopBackend implements Backend {
  readonly #executable: string;
  readonly #options: BackendOptions;
  #running: { readonly process: ChildProcess; readonly browser: Browser } | undefined;

  private constructor(executable: string, options: BackendOptions) {
    this.#executable = executable;
    this.#options = options;
  }

  static async open(executable: string, options: BackendOptions): Promise<Backend> {
    writeSettings(options.dataDir, options.settings ?? {});
    mkdirSync(join(options.dataDir, 'home'), { recursive: true });
    const backend = new DesktopBackend(executable, options);
    const [cli = executable, ...cliArgs] = resolveCliArgsFromVSCodeExecutablePath(executable, {
      reuseMachineInstall: true,
    });
    for (const it of [...options.packages, ...options.more]) {
      const install = [...cliArgs, ...backend.#folders(), '--install-extension', it, '--force'];
      await promisify(execFile)(cli, install, { env: backend.#env(), shell: process.platform === 'win32' });
    }
    return backend;
  }

  get dataDir(): string {
    return this.#options.dataDir;
  }

  async openPage(folder: string | undefined): Promise<Page> {
    const where = folder === undefined ? ['--new-window'] : ['--new-window', folder];
    if (this.#running) {
      const [context] = this.#running.browser.contexts();
      const opened = context?.waitForEvent('page', { timeout: 60_000 });
      spawn(this.#executable, [...this.#arguments(), ...where], { env: this.#env(), stdio: 'ignore' });
      return (await opened) as Page;
    }
    const portFile = join(this.#userData, 'DevToolsActivePort');
    rmSync(portFile, { force: true });
    const args = [...this.#arguments(), '--remote-debugging-port=0', ...where];
    const child = spawn(this.#executable, args, {
      env: this.#env(),
      stdio: 'ignore',
      detached: process.platform !== 'win32',
    });
    const port = await until('VS Code opens its debugging port', () => readFileSync(portFile, 'utf8').split('\n')[0]);
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    this.#running = { process: child, browser };
    return until('VS Code shows a window', () =>
      browser
        .contexts()[0]
        ?.pages()
        .find((it) => it.url().includes('workbench')),
    );
  }

  async closePage(page: Page): Promise<void> {
    await page.close();
  }

  async kill(): Promise<void> {
    const pid = this.#running?.process.pid;
    if (pid !== undefined) endProcess(process.platform === 'win32' ? pid : -pid);
    this.#running = undefined;
  }

  async close(): Promise<void> {
    await this.kill();
    endProcessesMentioning(this.dataDir);
  }

  get #userData(): string {
    return join(this.dataDir, 'data');
  }

  #env(): NodeJS.ProcessEnv {
    return editorEnvironment(this.dataDir, environmentOf(this.#options));
  }

  #folders(): string[] {
    return ['--user-data-dir', this.#userData, '--extensions-dir', join(this.dataDir, 'extensions')];
  }

  #arguments(): string[] {
    const quiet = [
      '--skip-welcome',
      '--skip-release-notes',
      '--disable-updates',
      '--no-sandbox',
      '--disable-telemetry',
    ];
    const trust = this.#options.asksForTrust ? [] : ['--disable-workspace-trust'];
    const language = languageArguments(this.#options.language, this.#userData);
    return [...this.#folders(), ...quiet, ...trust, ...language];
  }
}
