import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from '../cache.ts';
import { freePort } from '../network/freePort.ts';
import { npm } from '../npm.ts';

const servers = '2026.8.31';
const inspector = '2.12.0';

/** The public MCP servers and the Inspector, as people install them. */
export interface RealServers {
  /** The file that Node runs. */
  program(name: 'everything' | 'filesystem' | 'memory' | 'sequential-thinking'): string;
  /** One run of the Inspector without its page. @returns what it printed, which is JSON */
  inspect(args: readonly string[], home: string): Promise<unknown>;
}

/** Installs them once (135 MB), exact versions. */
export async function realServers(): Promise<RealServers> {
  const folder = await cached(`mcp-servers-${servers}-${inspector}`, async (fresh) => {
    const names = ['everything', 'filesystem', 'memory', 'sequential-thinking'];
    const dependencies = {
      ...Object.fromEntries(names.map((it) => [`@modelcontextprotocol/server-${it}`, servers])),
      '@modelcontextprotocol/inspector': inspector,
    };
    writeFileSync(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await npm(['install', '--ignore-scripts'], fresh);
  });
  const scope = join(folder, 'node_modules', '@modelcontextprotocol');
  const launcher = join(scope, 'inspector', 'clients', 'launcher', 'build', 'index.js');
  return {
    program: (name) => join(scope, `server-${name}`, 'dist', 'index.js'),
    async inspect(args, home) {
      const env = { PATH: process.env['PATH'], HOME: home };
      const { stdout } = await promisify(execFile)(process.execPath, [launcher, '--cli', ...args], { cwd: home, env });
      return JSON.parse(stdout) as unknown;
    },
  };
}

export interface ListeningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** server-everything over streamable HTTP, which takes its port from the environment and says when it listens. */
export async function everythingOverHttp(program: string): Promise<ListeningServer> {
  const port = await freePort();
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  const child = spawn(process.execPath, [program, 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`server-everything ended: ${said}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (said.includes('listening on port')) resolve();
    });
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
