import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { linkBuiltIn } from '../../support/editor/codeServer.ts';
import { installExtensions } from '../../support/editor/server.ts';
import { type Backend, type BackendOptions, environmentOf } from './backend.ts';
import { closeBrowser } from './servedPages.ts';
import { ServedPlace } from './servedPlace.ts';

/** What is installed, for all suites of a run. */
let extensions: Promise<string> | undefined;
/** Used by one suite after another, as long as they need nothing with which a server is started. */
let shared: { readonly place: ServedPlace; readonly root: string; isFree: boolean } | undefined;
// Where a run ends without `endShared`, its server would stay.
process.once('exit', () => shared?.place.endServer());

/** For the end of a run. */
export async function endShared(): Promise<void> {
  await endPlace();
  await closeBrowser();
  if (extensions) remove(await extensions);
  extensions = undefined;
}

async function endPlace(): Promise<void> {
  const ended = shared;
  shared = undefined;
  await ended?.place.end();
  if (ended) remove(ended.root);
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/** The npm-delivered VS Code, served on loopback and drawn by a headless browser. */
export class ServedBackend implements Backend {
  readonly #place: ServedPlace;
  readonly #viewport: BackendOptions['viewport'];

  private constructor(place: ServedPlace, viewport: BackendOptions['viewport']) {
    this.#place = place;
    this.#viewport = viewport;
  }

  static async open(options: BackendOptions): Promise<Backend> {
    extensions ??= installed(options.packages);
    const folder = await extensions;
    const places = { extensions: folder, builtIn: builtInOf(folder) };
    const start = (dataDir: string) =>
      ServedPlace.start({
        ...options,
        ...places,
        dataDir,
        packages: options.more,
        env: environmentOf({ ...options, dataDir }),
      });
    return new ServedBackend(
      await (needsItsOwn(options) ? start(options.dataDir) : lent(options, start)),
      options.viewport,
    );
  }

  get dataDir(): string {
    return this.#place.dataDir;
  }

  openPage(folder: string | undefined): Promise<Page> {
    return this.#place.openPage(folder, this.#viewport);
  }

  closePage(page: Page): Promise<void> {
    return this.#place.closePage(page);
  }

  kill(): Promise<void> {
    return this.#place.kill();
  }

  /** A shared place that cannot be emptied is ended: the next suite gets a new one. */
  async close(): Promise<void> {
    if (shared?.place !== this.#place) return this.#place.end();
    try {
      await shared.place.empty();
      shared.isFree = true;
    } catch (thrown) {
      process.stderr.write(`the editor of the suites is started anew: ${String(thrown)}\n`);
      await endPlace();
    }
  }
}

/** Whether a suite has wishes that only the start of a server can fulfill. */
function needsItsOwn({ env, more }: BackendOptions): boolean {
  return env !== undefined || more.length > 0;
}

async function lent(options: BackendOptions, start: (dataDir: string) => Promise<ServedPlace>): Promise<ServedPlace> {
  if (shared && !shared.isFree) await endPlace(); // a suite that failed kept it
  if (!shared) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-suites-')));
    shared = { place: await start(join(root, 'editor')), root, isFree: true };
  }
  shared.isFree = false;
  await shared.place.empty(options);
  return shared.place;
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
