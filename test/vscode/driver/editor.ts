import { join } from 'node:path';
import { readHostFile } from '../../../sidecar/launch/attach/hostFile.ts';
import { packageForHere, packageOfTests } from '../../../vsix.ts';
import { projectRoot } from '../../support/cache.ts';
import type { EditorLanguage } from '../../support/editor/languagePack.ts';
import { processesMentioning } from '../../support/editor/processes.ts';
import { makeScratch, type Scratch } from '../../support/scratch.ts';
import { type Backend, hostDataDirOf, openBackend, probeFolderOf } from './backend.ts';
import { ProbeFolder } from './probe.ts';
import { forgetScreenshots, screenshotPath } from './screenshots.ts';
import { EditorWindow } from './window.ts';

type Settings = Readonly<Record<string, unknown>>;
type Given<T extends object> = T | ((scratch: Scratch) => T);

export interface EditorOptions {
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

  private constructor(suite: string, scratch: Scratch, backend: Backend) {
    this.suite = suite;
    this.scratch = scratch;
    this.#backend = backend;
    this.probes = new ProbeFolder(probeFolderOf(backend.dataDir));
  }

  /** @param suite names the folder of its screenshots. */
  static async open(suite: string, options: EditorOptions = {}): Promise<Editor> {
    const scratch = makeScratch(`switchboard-${suite}`);
    await options.prepare?.(scratch);
    const env = given(options.env, scratch);
    const backend = await openBackend({
      dataDir: scratch.dataDir,
      packages: await madePackages(),
      more: options.more ?? [],
      asksForTrust: options.asksForTrust ?? false,
      ...(env && { env }),
      // A window of a headless browser never has the focus: each turn would end with a message over what is tested.
      settings: {
        'switchboard.notifications.finished': 'never',
        // One server for scripts, which fetches no types from npm.
        'typescript.tsserver.useSyntaxServer': 'never',
        'typescript.disableAutomaticTypeAcquisition': true,
        'editor.cursorBlinking': 'solid', // each blink would draw a frame
        ...given(options.settings, scratch),
      },
      ...(options.language && { language: options.language }),
      viewport: options.viewport ?? { width: 1440, height: 900 },
    });
    forgetScreenshots(suite);
    return new Editor(suite, scratch, backend);
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
    this.probes.forget();
    const page = await this.#backend.openPage(folder ?? undefined);
    return EditorWindow.of(this, page, () => this.#backend.closePage(page));
  }

  /** Ends the browser (or the desktop editor) without a goodbye; the next window gets a new one. */
  async killBrowser(): Promise<void> {
    await this.#backend.kill();
  }

  /** Where the picture of a step goes: `.vscode-test/screenshots/<suite>/<NN step>.png`. */
  screenshotPath(step: string): string {
    return screenshotPath(this.suite, step);
  }

  /** Ends windows, hosts and agents, and removes the scratch folder. */
  async close(): Promise<void> {
    await this.#backend.close();
    this.scratch.remove();
  }
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
