import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKey, keyName, newKey } from '../../../sidecar/gateway/auth/keys.ts';
import { type Gateway, openGateway } from '../../../sidecar/gateway/gateway.ts';
import type { GatewayOptions } from '../../../sidecar/gateway/options.ts';
import { type Children, openChildren } from '../../../sidecar/platform/children/children.ts';
import type { Clock } from '../../../sidecar/platform/clock.ts';
import { newId } from '../../../sidecar/platform/ids.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import type { McpCredentials, McpServerRecord } from '../../../sidecar/protocol/gateway/mcpServer.ts';
import { keepingLog } from '../testLog.ts';

/** The gateway as `openGateway` builds it, on loopback with SQLite, beside others with the same database and secret. */
export interface WholeGateway {
  readonly base: string;
  readonly gateway: Gateway;
  readonly adminKey: string;
  readonly logLines: string[];
  readonly secret: Uint8Array;
  /** Where its database is. */
  readonly folder: string;
  /** Any request with a key. */
  as(key: string, path: string, init?: RequestInit): Promise<Response>;
  /** A management call of the administrator. @returns the body; throws for a status of 400 or more */
  manage(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** A key of a person. @returns it in clear text */
  addKey(more?: Partial<KeyRecord>): Promise<string>;
  addServer(server: Partial<McpServerRecord> & { readonly alias: string }, credentials?: McpCredentials): Promise<void>;
  /** Another process with the same database and secret. */
  replica(): Promise<WholeGateway>;
  close(): Promise<void>;
}

const at = '2026-01-01T00:00:00.000Z';

export async function wholeGateway(clock: Clock, more: Partial<GatewayOptions> = {}): Promise<WholeGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-whole-'));
  const adminKey = more.adminKey ?? newKey(randomBytes);
  const shared = { folder, adminKey, secret: randomBytes(32), clock, more };
  const first = await open(shared);
  return { ...first, close: () => first.close().then(() => rmSync(folder, { recursive: true, force: true })) };
}

interface Shared {
  readonly folder: string;
  readonly adminKey: string;
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly more: Partial<GatewayOptions>;
}

async function open(shared: Shared): Promise<WholeGateway> {
  const { folder, adminKey, secret, clock, more } = shared;
  const { log, lines } = keepingLog();
  const children: Children = openChildren(join(folder, 'children.json'), clock.now);
  const gateway = await openGateway({
    database: { kind: 'sqlite', file: join(folder, 'gateway.db') },
    secret,
    adminKey,
    listen: { host: '127.0.0.1', port: 0 },
    defaultAccess: 'all',
    stdio: { isTrusted: false, allowedCommands: [] },
    children,
    env: {},
    runtime: { ...systemRuntime(log), clock },
    version: '1',
    ...more,
  });
  const { store } = gateway;
  const replicas: WholeGateway[] = [];
  const as = (key: string, path: string, init: RequestInit = {}) =>
    fetch(`${gateway.baseUrl}${path}`, {
      ...init,
      headers: {
        'x-gateway-api-key': `Bearer ${key}`,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
  return {
    base: gateway.baseUrl,
    gateway,
    adminKey,
    logLines: lines,
    secret,
    folder,
    as,
    async manage(method, path, body) {
      const response = await as(adminKey, path, { method, ...(body && { body: JSON.stringify(body) }) });
      const text = await response.text();
      if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    },
    async addKey(record = {}) {
      const key = newKey(randomBytes);
      const stamps = { created_at: at, updated_at: at };
      const names = { token: hashKey(key), token_id: newId(), key_name: keyName(key) };
      await store.key.insert({ ...names, rotation_count: 0, ...stamps, ...record });
      return key;
    },
    async addServer(server, credentials) {
      const server_id = server.server_id ?? `id-${server.alias}`;
      if (credentials) await store.secrets.put('mcp_server', server_id, 'credentials', JSON.stringify(credentials));
      await store.mcp_server.insert({
        server_id,
        transport: 'http',
        allow_private_network: true,
        approval_status: 'active',
        created_at: at,
        updated_at: at,
        ...server,
      });
    },
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
