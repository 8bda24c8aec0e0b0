import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readHostFile } from '../../../sidecar/launch/attach/hostFile.ts';
import { packageForHere, packageOfTests } from '../../../vsix.ts';
import { projectRoot } from '../../support/cache.ts';
import type { EditorLanguage } from '../../support/editor/languagePack.ts';
import { processesMentioning } from '../../support/editor/processes.ts';
import { writeUserFiles } from '../../support/editor/server.ts';
import { makeScratch, type Scratch } from '../../support/scratch.ts';
import { type Backend, hostDataDirOf, openBackend, probeFolderOf } from './backend.ts';
import { ProbeFolder } from './probe.ts';
import { forgetScreenshots, screenshotPath } from './screenshots.ts';
import { leaveShared, suiteSetting, takeShared } from './sharedWindow.ts';
import { EditorWindow } from './window.ts';

type Settings = Readonly<Record<string, unknown>>;
type Given<T extends object> = T | ((scratch: Scratch) => T);

export interface EditorOptions {
  /**
   * Takes the window that the suite before left, if that had this option as well, and leaves its own to the next one. Files,
   * settings, host, and sessions are new. What a window remembers stays: the agent that was used last, how views are folded and
   * filtered. Not for suites with `asksForTrust`, `env`, `more` or `language`.
   */
  readonly sharesWindow?: boolean;
  /** Ask for trust as a real editor does; without it every folder is trusted. */
  readonly asksForTrust?: boolean;
  /** Of the user; a function where they name paths of the scratch folder. */
  readonly settings?: Given<Settings>;
  /** Added to the environment of the editor, and so of the window's extensions; a function as for settings. */
  readonly env?: Given<NodeJS.ProcessEnv>;
  /** Extensions to install in addition to ours, as `.vsix` files. */
  readonly more?: readonly string[];
  /** Called with the scratch workspace before the editor starts. */
  readonly prepare?: (scratch: Scratch) => void | Promise<void>;
  /** What the editor speaks; English without. */
  readonly language?: EditorLanguage;
  /** The size of the windows. */
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** A real VS Code with the packaged extension in it, on a scratch copy of the sample project, for one suite. */
export class Editor {
  readonly suite: string;
  readonly scratch: Scratch;
  readonly probes: ProbeFolder;
  readonly #backend: Backend;
  readonly #sharesWindow: boolean;
  /** That another suite left. */
  #left: EditorWindow | undefined;
  readonly #open = new Set<EditorWindow>();

  private constructor(
    suite: string,
    place: { scratch: Scratch; backend: Backend; window?: EditorWindow },
    sharesWindow: boolean,
  ) {
    this.suite = suite;
    this.scratch = place.scratch;
    this.#backend = place.backend;
    this.#left = place.window;
    this.#sharesWindow = sharesWindow;
    this.probes = new ProbeFolder(probeFolderOf(place.backend.dataDir));
  }

  /** @param suite names the folder of its screenshots. */
  static async open(suite: string, options: EditorOptions = {}): Promise<Editor> {
    const { sharesWindow = false } = options;
    forgetScreenshots(suite);
    const left = sharesWindow ? await takeShared() : undefined;
    const scratch = left?.scratch ?? makeScratch(`switchboard-${suite}`);
    left?.scratch.refill();
    await options.prepare?.(scratch);
    const settings = settingsOf(suite, given(options.settings, scratch));
    if (left) {
      writeUserFiles(left.backend.dataDir, { settings });
      return new Editor(suite, left, true);
    }
    const env = given(options.env, scratch);
    const backend = await openBackend({
      dataDir: scratch.dataDir,
      packages: await madePackages(),
      more: options.more ?? [],
      asksForTrust: options.asksForTrust ?? false,
      ...(env && { env }),
      settings,
      ...(options.language && { language: options.language }),
      isKept: sharesWindow,
      viewport: options.viewport ?? { width: 1440, height: 900 },
    });
    return new Editor(suite, { scratch, backend }, sharesWindow);
  }

  get workspace(): string {
    return this.scratch.workspace;
  }

  /** The extension's global storage folder, which is the host's data directory. */
  get hostDataDir(): string {
    return hostDataDirOf(this.#backend.dataDir);
  }

  /** Of the host that runs now, if one does. */
  hostPid(): number | undefined {
    return readHostFile(this.hostDataDir)?.pid;
  }

  /** Pids of the hosts, relays and other processes of ours that use this editor's data directory. */
  hostProcesses(): number[] {
    return processesMentioning(this.hostDataDir);
  }

  /** Opens a window on `folder` (the scratch workspace), or on none with `null`, and waits until its extensions run. */
  async openWindow(folder: string | null = this.workspace): Promise<EditorWindow> {
    const left = await this.#takeLeft(folder);
    if (left) return this.#keep(left.page, (close) => EditorWindow.renewed(this, left, close));
    this.probes.forget();
    const page = await this.#backend.openPage(folder ?? undefined);
    return this.#keep(page, (close) => EditorWindow.of(this, page, close));
  }

  async #keep(page: Page, open: (close: () => Promise<void>) => Promise<EditorWindow>): Promise<EditorWindow> {
    const window = await open(() => {
      this.#open.delete(window);
      return this.#backend.closePage(page);
    });
    this.#open.add(window);
    return window;
  }

  /** The window that another suite left. One that shows another folder is closed. */
  async #takeLeft(folder: string | null): Promise<EditorWindow | undefined> {
    const left = this.#left;
    this.#left = undefined;
    if (folder === this.workspace) return left;
    await left?.close();
    return undefined;
  }

  /** Ends the browser (or the desktop editor) without a goodbye; the next window gets a new one. */
  async killBrowser(): Promise<void> {
    this.#open.clear();
    await this.#backend.kill();
  }

  /** Where the picture of a step goes: `.vscode-test/screenshots/<suite>/<NN step>.png`. */
  screenshotPath(step: string): string {
    return screenshotPath(this.suite, step);
  }

  /** Ends windows, hosts and agents, and removes the scratch folder. What is shared stays for the next suite. */
  async close(): Promise<void> {
    const [window, ...more] = this.#open;
    if (this.#sharesWindow && window && more.length === 0) {
      leaveShared({ scratch: this.scratch, backend: this.#backend, window });
      return;
    }
    await this.#backend.close();
    this.scratch.remove();
  }
}

/** @param own of the suite */
function settingsOf(suite: string, own: Settings | undefined): Settings {
  return {
    [suiteSetting]: suite,
    // A window of a headless browser never has the focus: each turn would end with a message over what is tested.
    'switchboard.notifications.finished': 'never',
    // One server for scripts, which fetches no types from npm.
    'typescript.tsserver.useSyntaxServer': 'never',
    'typescript.disableAutomaticTypeAcquisition': true,
    'editor.cursorBlinking': 'solid', // each blink would draw a frame
    ...own,
  };
}

function given<T extends object>(option: Given<T> | undefined, scratch: Scratch): T | undefined {
  return typeof option === 'function' ? option(scratch) : option;
}

/** Made once a run, however many suites ask. */
function madePackages(): Promise<string[]> {
  packages ??= Promise.all([packageForHere(), packageOfTests('probe', join(projectRoot, 'test', 'vscode', 'probe'))]);
  return packages;
}
let packages: Promise<string[]> | undefined;
