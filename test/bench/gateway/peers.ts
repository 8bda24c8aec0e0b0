import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from '../../support/cache.ts';
import { freePort } from '../../support/network/freePort.ts';
import { npm } from '../../support/npm.ts';
import { until } from '../../support/until.ts';
import type { Target } from './target.ts';

/** What others run in our place, as their documentation says to run it. */
export interface Peer {
  readonly target: Target;
  readonly pid: number;
  close(): Promise<void>;
}

const packages = { supergateway: '4.0.0', 'mcp-proxy': '6.7.19', 'mcp-hub': '4.2.1' };
const STARTED_MS = 60_000;
const stdioBackend = join(import.meta.dirname, 'stdioBackend.child.ts');

/**
 * One after the other, so that none is late because of the others.
 *
 * @param backend address of the MCP server that is behind them, where they can have one over HTTP
 * @param opened gets each as soon as it runs
 */
export async function startPeers(backend: string, opened: (peer: Peer) => Peer): Promise<readonly Peer[]> {
  const modules = join(await install(), 'node_modules');
  const node = process.execPath;
  const supergateway = await startPeer('supergateway', { road: 'streamable', tool: 'echo' }, (port) => [
    join(modules, 'supergateway/dist/index.js'),
    ...['--stdio', `${node} ${stdioBackend}`, '--outputTransport', 'streamableHttp', '--stateful'],
    ...['--port', `${port}`, '--logLevel', 'none'],
  ]).then(opened);
  const mcpProxy = await startPeer('mcp-proxy', { road: 'streamable', tool: 'echo' }, (port) => [
    join(modules, 'mcp-proxy/dist/bin/mcp-proxy.mjs'),
    ...['--port', `${port}`, '--host', '127.0.0.1', '--server', 'stream', '--', node, stdioBackend],
  ]).then(opened);
  const mcpHub = await startPeer('mcp-hub', { road: 'sse', tool: 'bench__echo' }, (port, folder) => {
    const config = join(folder, 'mcp-hub.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { bench: { url: backend } } }));
    return [join(modules, 'mcp-hub/dist/cli.js'), '--port', `${port}`, '--config', config];
  }).then(opened);
  return [supergateway, mcpProxy, mcpHub];
}

function install(): Promise<string> {
  const versions = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  return cached(`gateway-peers-${versions.join('-')}`, async (into) => {
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, 'package.json'), '{"private":true}');
    await npm(['install', '--ignore-scripts', '--save-exact', ...versions], into);
  });
}

async function startPeer(
  name: string,
  how: Pick<Target, 'road' | 'tool'>,
  args: (port: number, folder: string) => readonly string[],
): Promise<Peer> {
  const port = await freePort();
  const child = spawn(process.execPath, args(port, await install()), { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/mcp`;
  const close = async () => {
    if (child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  try {
    await until(`${name} listens`, () => isThere(child, url), STARTED_MS);
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { target: { name, url, headers: {}, ...how }, pid: child.pid ?? 0, close };
}

async function isThere(child: ChildProcess, url: string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`);
  return fetch(url, { method: 'OPTIONS' }).then(
    () => true,
    () => false,
  );
}
