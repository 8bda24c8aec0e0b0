import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { chooseEditor } from '../../support/editor/chooseEditor.ts';
import type { ServeOptions } from '../../support/editor/server.ts';
import { say } from '../../support/say.ts';
import { DesktopBackend } from './desktopBackend.ts';
import { ServedBackend } from './servedBackend.ts';

export type BackendOptions = ServeOptions & {
  /** Installed in this editor, in addition to the packages of all editors. */
  readonly more: readonly string[];
  readonly viewport: { readonly width: number; readonly height: number };
};

/** A VS Code with the packages installed, on data folders of its own, whose windows are pages to click in. */
export interface Backend {
  /** Everything the editor and its extensions write is below it. */
  readonly dataDir: string;
  /** A new window on a folder, or on none. It is still loading. */
  openPage(folder: string | undefined): Promise<Page>;
  closePage(page: Page): Promise<void>;
  /** Ends what draws the windows without a goodbye. The next page opens in a new one. */
  kill(): Promise<void>;
  /** Ends every process that has to do with the data folder. */
  close(): Promise<void>;
}

/** The extension's global storage folder, which is the host's data directory. */
export const hostDataDirOf = (dataDir: string) =>
  join(dataDir, 'data', 'User', 'globalStorage', 'switchboard.switchboard');

/** In which the extension hosts of an editor leave their addresses. */
export const probeFolderOf = (dataDir: string) => join(dataDir, 'probe');

/** What is added to an editor's environment. Its home has no start-up file of a shell, and no agent is signed in there. */
export function environmentOf({ dataDir, env }: Pick<BackendOptions, 'dataDir' | 'env'>): NodeJS.ProcessEnv {
  return { HOME: join(dataDir, 'home'), SWITCHBOARD_PROBE: probeFolderOf(dataDir), ...env };
}

export async function openBackend(options: BackendOptions): Promise<Backend> {
  chosen ??= chooseEditor().then((it) => {
    say(it.kind === 'served' ? `editor: ${it.why}; the suites use the npm-delivered one` : `editor: ${it.executable}`);
    return it;
  });
  const editor = await chosen;
  return editor.kind === 'desktop' ? DesktopBackend.open(editor.executable, options) : ServedBackend.open(options);
}
let chosen: ReturnType<typeof chooseEditor> | undefined;
