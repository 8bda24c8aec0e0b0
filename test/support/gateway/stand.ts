import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey } from '../../../sidecar/gateway/auth/keys.ts';
import { openGateway } from '../../../sidecar/gateway/gateway.ts';
import type { Gateway, GatewayOptions } from '../../../sidecar/gateway/options.ts';
import { openChildren } from '../../../sidecar/platform/children/children.ts';
import { type Clock, systemClock } from '../../../sidecar/platform/clock.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import { type EchoBackend, type Heard, startEchoBackend } from '../backends/echoBackend.ts';
import { RawClient } from '../mcp/rawClient.ts';
import { keepingLog } from '../testLog.ts';
import { echoTool, speakAll } from './backendAnswers.ts';
import { type Answer, ask } from './requests.ts';
import { type StandRecords, standRecords } from './standRecords.ts';
import { type Manage, type StandRegistry, standRegistry } from './standRegistry.ts';

export interface StandOptions extends Partial<GatewayOptions> {
  /** Default: the computer's. */
  readonly clock?: Clock;
  /** Of the backend, where it is an MCP server. Default: `echo` alone. */
  readonly tools?: readonly object[];
}

export interface Stand extends StandRecords, StandRegistry {
  readonly base: string;
  readonly gateway: Gateway;
  readonly adminKey: string;
  readonly logLines: string[];
  readonly secret: Uint8Array;
  /** Where its database is. */
  readonly folder: string;
  /** An MCP server at `/mcp…`, an A2A agent at `/agent…`, and the cloud-agents service at `/cloud`. */
  readonly backend: EchoBackend;
  /** What the backend received, without handshakes. */
  calls(): readonly Heard[];
  /** The newest request that the backend received at a path. */
  heardAt(path: string): Heard | undefined;
  /** Any request with a key. */
  as(key: string, path: string, init?: RequestInit): Promise<Response>;
  /** Any request, answered as a whole; a body makes it a POST of JSON. */
  ask(path: string, headers: Readonly<Record<string, string>>, body?: object): Promise<Answer>;
  /** An MCP client at a path, with a key. */
  mcp(path: string, key: string, headers?: Record<string, string>): RawClient;
  /** A management call of the administrator. @returns the body; throws for a status of 400 or more */
  readonly manage: Manage;
  /** Another gateway on the same database, secret and backend; it ends with the first. */
  replica(): Promise<Stand>;
  close(): Promise<void>;
}

export const cloudKey = 'cloud-service-key-0123456789';

/**
 * The gateway in the process of the test, as `openGateway` builds it: on loopback, over SQLite or the `database` given, in
 * front of one backend that the test scripts. For whatever a caller or a backend of the gateway can see, and wherever a
 * test sets the clock or looks into the store. Command line, files, signals and kills need {@link openProcessStand}.
 */
export async function openStand({ clock = systemClock, tools = [echoTool], ...more }: StandOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-stand-'));
  const adminKey = more.adminKey ?? newKey(randomBytes);
  const backend = await startEchoBackend();
  backend.answer = (heard, response) => speakAll(heard, response, tools);
  const first = await open({ folder, adminKey, secret: randomBytes(32), clock, backend, more });
  return {
    ...first,
    async close() {
      await first.close();
      await backend.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

interface Shared {
  readonly folder: string;
  readonly adminKey: string;
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly backend: EchoBackend;
  readonly more: Partial<GatewayOptions>;
}

async function open(shared: Shared): Promise<Stand> {
  const { folder, adminKey, secret, clock, backend, more } = shared;
  const { log, lines } = keepingLog();
  const children = openChildren(join(folder, 'children.json'), clock.now);
  const gateway = await openGateway({
    database: { kind: 'sqlite', file: join(folder, 'gateway.db') },
    secret,
    adminKey,
    listen: { host: '127.0.0.1', port: 0 },
    defaultAccess: 'all',
    stdio: { isTrusted: false, allowedCommands: [] },
    cloudAgents: { upstreamUrl: `${backend.url}/cloud`, prefix: 'cloudagents' },
    children,
    env: { CLOUDAGENTS_API_KEY: cloudKey },
    runtime: { ...systemRuntime(log), clock },
    version: '1',
    ...more,
  });
  const base = gateway.baseUrl;
  const replicas: Stand[] = [];
  const as: Stand['as'] = (key, path, init = {}) =>
    fetch(`${base}${path}`, {
      ...init,
      headers: {
        'x-gateway-api-key': `Bearer ${key}`,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
  const manage: Manage = async (method, path, body) => {
    const response = await as(adminKey, path, { method, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  };
  return {
    ...standRecords(gateway.store),
    ...standRegistry(gateway.store, manage, backend.url),
    base,
    gateway,
    adminKey,
    logLines: lines,
    secret,
    folder,
    backend,
    calls: () => backend.heard.filter((it) => !/"(?:initialize|notifications\/initialized)"/.test(it.body.toString())),
    heardAt: (path) => backend.heard.findLast((it) => it.path === path),
    as,
    ask: (path, headers, body) => ask(`${base}${path}`, headers, body),
    mcp: (path, key, headers = {}) => new RawClient(`${base}${path}`, { authorization: `Bearer ${key}`, ...headers }),
    manage,
    async replica() {
      const other = await open(shared);
      replicas.push(other);
      return other;
    },
    async close() {
      for (const it of replicas) await it.close();
      await gateway.close(0);
      await children.stopAll();
    },
  };
}
