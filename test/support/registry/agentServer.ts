import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { tarFile } from './tarFile.ts';

type Served = Buffer | string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A registry of agents and a registry of npm packages on this machine, over HTTP. */
export interface AgentServer {
  readonly origin: string;
  /** Of the list of agents. */
  readonly address: string;
  /** For `npm_config_registry`. */
  readonly npm: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  /** What the list holds from now on. */
  list(agents: readonly object[]): void;
  /** Serves a file, or answers in a way of its own. @returns its address */
  put(path: string, served: Served): string;
  /** Publishes a package: files by path, and members of its package.json. */
  publish(name: string, version: string, files: Readonly<Record<string, string>>, manifest?: object): void;
  close(): Promise<void>;
}

export async function openAgentServer(): Promise<AgentServer> {
  const served = new Map<string, Served>();
  const packages = new Map<string, Record<string, object>>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const found = served.get(path);
    if (typeof found === 'function') return found(request, response);
    response.writeHead(found === undefined ? 404 : 200, { 'content-length': Buffer.byteLength(found ?? '') });
    response.end(request.method === 'HEAD' ? undefined : found);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const put = (path: string, what: Served) => {
    served.set(path, what);
    return `${origin}${path}`;
  };
  const list = (agents: readonly object[]) => void put('/registry.json', JSON.stringify({ version: '1.0.0', agents }));
  list([]);
  return {
    origin,
    address: `${origin}/registry.json`,
    npm: `${origin}/npm/`,
    asked,
    list,
    put,
    publish(name, version, files, more = {}) {
      const manifest = { name, version, ...more };
      const all = { 'package.json': JSON.stringify(manifest), ...files };
      const entries = Object.entries(all).map(([path, body]) => ({ name: `package/${path}`, body, mode: 0o755 }));
      const tarball = gzipSync(tarFile(entries));
      const address = put(`/npm/-/${name.replace('/', '-')}-${version}.tgz`, tarball);
      const hash = (algorithm: string) => createHash(algorithm).update(tarball);
      const dist = {
        tarball: address,
        integrity: `sha512-${hash('sha512').digest('base64')}`,
        shasum: hash('sha1').digest('hex'),
        unpackedSize: Object.values(all).join('').length,
      };
      const hasInstallScript = 'scripts' in more && JSON.stringify(more.scripts).includes('install');
      const versions = { ...packages.get(name), [version]: { ...manifest, hasInstallScript, dist } };
      packages.set(name, versions);
      put(`/npm/${name}`, JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
