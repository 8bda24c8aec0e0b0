import { join } from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { cacheFolder } from '../cache.ts';

export type ChosenEditor =
  | { readonly kind: 'desktop'; readonly executable: string }
  /** The npm-delivered VS Code; `why` is the one line that says why it is not a desktop one. */
  | { readonly kind: 'served'; readonly why: string };

export interface Choosing {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly download: () => Promise<string>;
}

/**
 * Which VS Code the suites run in: `VSCODE_PATH`, else a desktop one that is downloaded once, else the one from npm.
 * `SWITCHBOARD_EDITOR=served` takes the last at once.
 */
export async function chooseEditor(choosing: Choosing = ours): Promise<ChosenEditor> {
  const { env, platform, download } = choosing;
  if (env['SWITCHBOARD_EDITOR'] === 'served') return { kind: 'served', why: 'SWITCHBOARD_EDITOR is "served"' };
  if (env['VSCODE_PATH']) return { kind: 'desktop', executable: env['VSCODE_PATH'] };
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) {
    return { kind: 'served', why: 'there is no screen for a desktop VS Code' };
  }
  try {
    return { kind: 'desktop', executable: await download() };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown);
    return { kind: 'served', why: `a desktop VS Code cannot be downloaded (${reason})` };
  }
}

const ours: Choosing = {
  env: process.env,
  platform: process.platform,
  download: () =>
    downloadAndUnzipVSCode({ version: 'stable', cachePath: join(cacheFolder, 'desktop'), timeout: 15_000 }),
};
