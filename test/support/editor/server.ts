import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeServer } from './codeServer.ts';
import { type EditorLanguage, writeLanguage } from './languagePack.ts';
import { endProcess, endProcessesMentioning } from './processes.ts';

export interface ServeOptions {
  /** Everything the editor and its extensions write goes below it. */
  readonly dataDir: string;
  /** Extensions to install first, as `.vsix` files. */
  readonly packages: readonly string[];
  /** A folder that {@link installExtensions} filled, shared with other editors. Absent: one of its own. */
  readonly extensions?: string;
  /** A folder that replaces VS Code's folder of built-in extensions. */
  readonly builtIn?: string;
  /** Ask for trust as an editor does; without it every folder is trusted. */
  readonly asksForTrust?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the editor speaks, as an installed language pack makes it. English without. */
  readonly language?: EditorLanguage;
  /** The host on this machine that the editor's own agents UI talks to. */
  readonly agentHost?: { readonly port: number; readonly token: string };
}

/** A VS Code served on 127.0.0.1, in a process group of its own. */
export interface ServedEditor {
  readonly dataDir: string;
  readonly pid: number;
  /** Of a window on a folder or a `.code-workspace` file, or on none. */
  addressOf(folder: string | undefined): string;
  /** Of a page of this origin that is no window. */
  readonly blank: string;
  /** Ends the server, its extension hosts and everything else that was started below its data folder. */
  close(): void;
}

/** Installs the packages, starts the server and answers once it listens. The first time it installs VS Code itself. */
export async function serveEditor(options: ServeOptions): Promise<ServedEditor> {
  const main = await codeServer();
  const { dataDir, extensions = join(dataDir, 'extensions') } = options;
  const env = editorEnvironment(dataDir, options.env ?? {});
  writeUserFiles(dataDir, options);
  const common = [
    '--server-data-dir',
    dataDir,
    '--user-data-dir',
    join(dataDir, 'data'),
    '--accept-server-license-terms',
    '--telemetry-level',
    'off',
    '--extensions-dir',
    extensions,
  ];
  if (options.builtIn !== undefined) common.push('--builtin-extensions-dir', options.builtIn);
  await install(main, common, options.packages, env);
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(dataDir, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const { agentHost } = options;
  const bridged = agentHost
    ? ['--agent-host-bridge-port', `${agentHost.port}`, '--agent-host-bridge-connection-token', agentHost.token]
    : [];
  const listen = ['--host', '127.0.0.1', '--port', '0', '--connection-token-file', tokenFile];
  const args = [main, ...common, ...listen, ...bridged];
  const server = spawn(process.execPath, args, {
    env,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const port = await listening(server);
  const pid = server.pid as number;
  return {
    dataDir,
    pid,
    addressOf: (folder) => {
      const kind = folder?.endsWith('.code-workspace') ? 'workspace' : 'folder';
      const where = folder === undefined ? 'ew=true' : `${kind}=${encodeURIComponent(folder)}`;
      return `http://127.0.0.1:${port}/?tkn=${token}&${where}`;
    },
    blank: `http://127.0.0.1:${port}/version`,
    close: () => {
      endProcess(process.platform === 'win32' ? pid : -pid);
      endProcessesMentioning(dataDir);
    },
  };
}

/** Installs packages into a folder for any number of editors. */
export async function installExtensions(packages: readonly string[], folder: string): Promise<void> {
  const dataDir = join(folder, '.installing');
  const places = ['--server-data-dir', dataDir, '--extensions-dir', folder, '--accept-server-license-terms'];
  await install(await codeServer(), places, packages, editorEnvironment(dataDir, {}));
}

async function install(
  main: string,
  places: readonly string[],
  packages: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (packages.length === 0) return;
  const words = packages.flatMap((it) => ['--install-extension', it]);
  await promisify(execFile)(process.execPath, [main, ...places, ...words, '--force'], { env });
}

/**
 * The editor's own environment: what npm and this Node were started with stays out, so that extensions do not see it. As
 * where `code` is typed into a terminal, the rest counts as it is, and no login shell is asked for another PATH.
 */
export function editorEnvironment(dataDir: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VSCODE_|ELECTRON_|NODE_OPTIONS|MOCHA|SWITCHBOARD_COUNTS)/i.test(name),
  );
  mkdirSync(dataDir, { recursive: true });
  return { ...Object.fromEntries(kept), VSCODE_CLI: '1', ...more };
}

/** What a served editor reads as a window opens: the settings of a fresh user, who is asked for trust or not, and the language. */
export function writeUserFiles(
  dataDir: string,
  { settings, asksForTrust, language }: Pick<ServeOptions, 'settings' | 'asksForTrust' | 'language'>,
): void {
  writeSettings(dataDir, { ...(!asksForTrust && { 'security.workspace.trust.enabled': false }), ...settings });
  if (language !== undefined) writeLanguage(language, join(dataDir, 'data'));
}

/** The settings of a fresh user, below `<dataDir>/data`, where served and desktop editors both look. */
export function writeSettings(dataDir: string, settings: Readonly<Record<string, unknown>>): void {
  const text = JSON.stringify({ ...quietSettings, ...settings }, undefined, 2);
  for (const folder of ['User', 'Machine']) {
    mkdirSync(join(dataDir, 'data', folder), { recursive: true });
    writeFileSync(join(dataDir, 'data', folder, 'settings.json'), text);
  }
}

/**
 * No page of the editor's own stands in the way of what a suite, or a first look, is about; and a served editor keeps
 * files unsaved until they are saved, as a desktop one does.
 */
const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  'files.autoSave': 'off',
  'extensions.ignoreRecommendations': true,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'git.openRepositoryInParentFolders': 'never',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
};

async function listening(server: ChildProcess): Promise<number> {
  let output = '';
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk;
      const port = /agent listening on (\d+)/.exec(output)?.[1];
      if (port) resolve(Number(port));
    };
    server.stdout?.on('data', onData);
    server.stderr?.on('data', onData);
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`the editor's server ended with ${code}:\n${output.slice(-2000)}`)));
  });
}
