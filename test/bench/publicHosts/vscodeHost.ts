import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cached } from '../../support/cache.ts';
import { codeServer, codeServerVersion } from '../../support/editor/codeServer.ts';
import { endProcess, endProcessesMentioning } from '../../support/editor/processes.ts';
import { editorEnvironment } from '../../support/editor/server.ts';
import { npm } from '../../support/npm.ts';
import { say } from '../../support/say.ts';
import { PublicClient, publicRoot, type ShownAgent } from './publicClient.ts';

export interface PublicHost {
  /** Where its WebSocket is, with the token in it. */
  readonly url: string;
  close(): Promise<void>;
}

/** What the host keeps its sessions in; npm delivers it as source. */
const DATABASE = '@vscode/sqlite3';

/**
 * VS Code's own agent host, in the server of the npm-delivered VS Code, with its Claude agent.
 * @param agentsFolder has `node_modules` with Claude's SDK
 */
export async function openVscodeHost(agentsFolder: string, env: Readonly<Record<string, string>>): Promise<PublicHost> {
  const folder = await vscodeWithDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-vscode-host-'));
  const token = randomBytes(24).toString('hex');
  const listen = ['--host', '127.0.0.1', '--port', '0', '--agent-host-port', '0', `--connection-token=${token}`];
  const rest = ['--accept-server-license-terms', '--server-data-dir', dataDir, '--telemetry-level', 'off'];
  const server = spawn(process.execPath, [join(folder, 'out', 'server-main.js'), ...listen, ...rest], {
    env: {
      ...editorEnvironment(dataDir, env),
      VSCODE_AGENT_HOST_CLAUDE_AGENT_ENABLED: '1',
      VSCODE_AGENT_HOST_CLAUDE_SDK_ROOT: agentsFolder,
    },
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => void server.once('close', resolve));
  const close = async () => {
    endProcess(process.platform === 'win32' ? (server.pid ?? 0) : -(server.pid ?? 0));
    endProcessesMentioning(dataDir);
    await ended;
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = await new Promise<string>((resolve, reject) => {
      let output = '';
      const onData = (chunk: Buffer) => {
        output += chunk;
        const found = /Agent host server listening on \S+:(\d+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      server.stdout.on('data', onData);
      server.stderr.on('data', onData);
      server.once('error', reject);
      server.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output.slice(-1_000)}`)));
    });
    const url = `ws://127.0.0.1:${port}/?tkn=${token}`;
    await allowSignedOut(url);
    return { url, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Without an account only what needs none may work, and that it may has to be said; then its models are looked up. */
async function allowSignedOut(url: string): Promise<void> {
  const client = await PublicClient.open(url);
  const isListed = (agents: readonly ShownAgent[]) =>
    agents.some((it) => it.provider === 'claude' && it.models.length > 0);
  const listed = client.heard(
    (_channel, { type, ...it }) => type === 'root/agentsChanged' && isListed(it['agents'] as ShownAgent[]),
  );
  const agents = await client.initialize();
  client.dispatch(publicRoot, { type: 'root/configChanged', config: { allowSignedOutWhenUsable: true } });
  if (!isListed(agents)) await listed;
  client.close();
}

/** A copy beside the one that the suites run in, because it has one more native module, which is compiled here once. */
async function vscodeWithDatabase(): Promise<string> {
  const source = dirname(dirname(await codeServer()));
  return cached(`code-server-${codeServerVersion}-agent-host`, async (partial) => {
    say(`bench: compiling ${DATABASE} for VS Code's own agent host (about a minute and a half, once)`);
    for (const it of ['out', 'node_modules', 'package.json', 'product.json']) {
      cpSync(join(source, it), join(partial, it), { recursive: true, verbatimSymlinks: true });
    }
    await npm(['rebuild', DATABASE], partial);
    const built = join(partial, 'node_modules', DATABASE, 'build', 'Release', 'vscode-sqlite3.node');
    if (!existsSync(built)) throw new Error(`npm rebuild left no ${built}`);
  });
}
