import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallContext } from '../../../sidecar/gateway/auth/caller.ts';
import { Directory } from '../../../sidecar/gateway/auth/directory.ts';
import { DraftServers } from '../../../sidecar/gateway/auth/draftServers.ts';
import { hashKey, keyName } from '../../../sidecar/gateway/auth/keys.ts';
import { Permissions } from '../../../sidecar/gateway/auth/permissions.ts';
import { Progress } from '../../../sidecar/gateway/auth/progress.ts';
import { CallerResolver } from '../../../sidecar/gateway/auth/resolve.ts';
import { Backends } from '../../../sidecar/gateway/backends/backends.ts';
import type { AnyTokenRef, UserToken, UserTokenStore } from '../../../sidecar/gateway/backends/oauth/stores.ts';
import { checkCall, mayCallModels } from '../../../sidecar/gateway/http/checkCall.ts';
import { faultResponse } from '../../../sidecar/gateway/http/faultResponses.ts';
import type { ActivityReads } from '../../../sidecar/gateway/management/activity/reads.ts';
import { openManagement } from '../../../sidecar/gateway/management/management.ts';
import type { ManagementDeps } from '../../../sidecar/gateway/management/managementDeps.ts';
import { keyRoute, subjects } from '../../../sidecar/gateway/management/routes.ts';
import { describeModel } from '../../../sidecar/gateway/models/describe.ts';
import { noSuchAddress } from '../../../sidecar/gateway/routing/route.ts';
import { RouteTable } from '../../../sidecar/gateway/routing/routeTable.ts';
import { type GatewayStore, openStore } from '../../../sidecar/gateway/storage/store.ts';
import { Fault } from '../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import { Guardrail } from '../../../sidecar/protocol/gateway/guardrail.ts';
import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import { StandingClock } from './clock.ts';
import { webResponse } from './webResponse.ts';

const piiOnAll = Guardrail.shape.gateway_params.parse({
  guardrail: 'pii_redaction',
  mode: 'pre_mcp_call',
  default_on: true,
});

/** Every row of the management API. */
export const managementRows = async () => (await Promise.all(subjects.map((it) => it.load()))).flat();

/** What a route answered, as a client sees it. */
export class Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The JSON of the body, where it is JSON. */
  readonly body: unknown;

  constructor(status: number, text: string, headers: Headers) {
    this.status = status;
    this.text = text;
    this.headers = headers;
    this.body = /json(?:;|$)/.test(headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
  }

  /** A value in the body, as `error.param` or `keys.0`; `undefined` where there is none. */
  at(path: string): unknown {
    return path.split('.').reduce<unknown>((value, name) => membersOf(value)[name], this.body);
  }
  /** @throws {AssertionError} where it is no text */
  string(path: string): string {
    const value = this.at(path);
    assert.ok(typeof value === 'string', `${path} is no text in ${this.text}`);
    return value;
  }
  /** @throws {AssertionError} where it is no list. @param path empty: the body itself */
  list(path = ''): readonly Readonly<Record<string, unknown>>[] {
    const value = path === '' ? this.body : this.at(path);
    assert.ok(Array.isArray(value), `${path} is no list in ${this.text}`);
    return value;
  }
}
const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

export const start = '2026-03-04T10:00:00.000Z';

/** The management API over a real store, with callers that are resolved from real keys. */
export async function openManaged(more: Partial<ManagementDeps> = {}, defaultAccess: 'none' | 'all' = 'none') {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-managed-'));
  const clock = new StandingClock(start);
  const address = { kind: 'sqlite', file: join(folder, 'gateway.db') } as const;
  const store = await openStore({ address, clock, secret: randomBytes(32), holder: 'a' });
  const directory = new Directory(store);
  const callers = new CallerResolver(directory, clock);
  const permissions = new Permissions(directory, { defaultAccess, emptyListInherits: false });
  const tokens = memoryTokens();
  const backends = new Backends({
    clock,
    timers: systemTimers,
    newId: randomUUID,
    random: randomBytes,
    secret: randomBytes(32),
    tokens,
    clients: { read: async () => undefined, write: async () => undefined, lease: (_ref, work) => work() },
    states: { claim: async () => true },
    providerKey: async () => undefined,
  });
  const spent = new Map<string, number>();
  const asked: unknown[] = [];
  const deps: ManagementDeps = {
    store,
    directory,
    permissions,
    backends,
    tokens,
    drafts: new DraftServers(() => clock.nowMs()),
    clock,
    newId: randomUUID,
    randomBytes,
    spending: {
      of: async (_kind, records) => records.map((it) => ({ spend: spent.get(spenderId(it)) ?? 0 })),
      async reset(_kind, record, to) {
        const id = spenderId(record);
        const before = spent.get(id) ?? 0;
        spent.set(id, to);
        return { spend: before };
      },
    },
    activity: recordingReads(asked),
    health: async (ids) => ids.map((server_id) => ({ server_id, status: 'healthy' })),
    listedTools: () => undefined,
    processes: () => new Map(),
    resilience: () => new Map(),
    mayCallModels,
    describeModel: (record) => describeModel(record, { stateOf: () => undefined }, clock.nowMs()),
    isAgentHealthy: async () => true,
    pins: { pin: async () => ({ tools: 2 }), unpin: async () => undefined },
    checkCommand({ command }) {
      if (command === '/usr/bin/allowed') return;
      throw new Fault('forbidden', 'This command is not allowed.', { data: { field: 'command' } });
    },
    testAlert: async () => undefined,
    guardrails: {
      all: () => [
        {
          guardrail_name: 'pii',
          mode: 'pre_mcp_call',
          default_on: true,
          from_config: true,
          gateway_params: piiOnAll,
        },
      ],
      applied: async () => undefined,
      tryOut: async () => [],
    },
    options: { separator: '__', isRegistryOn: true, version: '1.2.3' },
    ...more,
  };
  const management = openManagement(deps);
  const rows = await managementRows();
  const table = new RouteTable(rows.map(keyRoute));

  async function serve(request: Request, context: CallContext): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const { route, params } = table.find(request.method, pathname) ?? noSuchAddress();
    const { clientAddress, holdsKey } = context;
    checkCall(context.caller, route, { pathname, search, clientAddress, holdsKey });
    return webResponse(await route.handle({ request, context, params, route, pathname }, management));
  }

  /** Sends a request as the holder of a key. Refusals come back with the status that HTTP gives them. */
  async function send(key: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const request = new Request(`http://127.0.0.1:4000${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    let response: Response;
    try {
      const caller = await callers.resolve({ key, header: 'authorization' }, { tags: [], debug: false }, '127.0.0.1');
      const context = {
        caller,
        requestId: 'r1',
        baseUrl: 'http://127.0.0.1:4000',
        headers: new Map(Object.entries(headers)),
        bearer: undefined,
        holdsKey: (text: string) => text.includes(key),
        clientAddress: '203.0.113.9',
        signal: new AbortController().signal,
        progress: new Progress(() => 0),
      };
      response = await serve(request, context);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      response = webResponse(faultResponse(thrown));
    }
    return new Reply(response.status, await response.text(), response.headers);
  }

  const admin = await giveKey(store, { role: 'proxy_admin', user_id: 'root' });
  return {
    store,
    clock,
    spent,
    asked,
    management,
    /** An administrator's key. */
    admin,
    /** Puts a key into the store, past the API. */
    give: (more: Partial<KeyRecord> = {}) => giveKey(store, more),
    send,
    /** Everything that is on disk. */
    bytes: () => Buffer.concat(readdirSync(folder).map((it) => readFileSync(join(folder, it)))).toString('latin1'),
    async close() {
      await backends.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
export type Managed = Awaited<ReturnType<typeof openManaged>>;

async function giveKey(store: GatewayStore, more: Partial<KeyRecord>): Promise<string> {
  const key = `sk-${randomBytes(24).toString('base64url')}`;
  await store.key.insert({
    token: hashKey(key),
    token_id: randomUUID(),
    key_name: keyName(key),
    rotation_count: 0,
    created_at: start,
    updated_at: start,
    ...more,
  });
  return key;
}

function memoryTokens(): UserTokenStore {
  const kept = new Map<string, UserToken>();
  const name = ({ user, server_id }: AnyTokenRef) => `${server_id} ${user}`;
  return {
    read: async (ref) => kept.get(name(ref)),
    write: async (ref, token) => void kept.set(name(ref), token),
    remove: async (ref) => void kept.delete(name(ref)),
    lease: (_ref, work) => work(),
  };
}

/** Notes what was asked, and answers one endpoint, one line or nothing. */
function recordingReads(asked: unknown[]): ActivityReads {
  const note = <T>(answer: T, ...question: unknown[]): Promise<T> => {
    asked.push(question);
    return Promise.resolve(answer);
  };
  const totals = {
    successful_requests: 3,
    failed_requests: 1,
    total_requests: 4,
    success_rate: 75,
    total_tokens: 0,
    spend: 1,
  };
  const recordSums = { successful_requests: 3, failed_requests: 1, total_tokens: 0, spend: 1 };
  const numbers = { total_spend: 0, total_flat_cost: 0, total_prompt_tokens: 0, total_completion_tokens: 0 };
  const tokens = { total_tokens: 0, total_cache_read_input_tokens: 0, total_cache_creation_input_tokens: 0 };
  const calls = { total_api_requests: 0, total_successful_requests: 0, total_failed_requests: 0 };
  const empty = {
    results: [],
    metadata: { ...numbers, ...tokens, ...calls, page: 1, total_pages: 0, has_more: false },
  };
  return {
    spendLogs: (query) =>
      note({ data: [], total: 0, page: query.page, page_size: query.page_size, total_pages: 0 }, 'logs', query),
    async *exportedSpendLogs(query, format) {
      asked.push([format, query]);
      yield format === 'csv' ? 'request_id\r\n' : '';
      yield format === 'csv' ? 'r1\r\n' : '{"request_id":"r1"}\n';
    },
    daily: (entity, query) => note(empty, entity, query),
    wholeDaily: (entity, query) => note(empty, `whole ${entity}`, query),
    gatewayDaily: (query) =>
      note({ total_successful_requests: 1, total_failed_requests: 0, by_date: [], by_route: [] }, 'gateway', query),
    recordCalls: (of, start, end) =>
      note({ ...recordSums, last_used: null, daily: [], keys: [], tools: [], models: [] }, 'record', of, start, end),
    endpoints: (query) =>
      note({ endpoints: [{ endpoint: '/mcp', ...totals, daily: [] }], totals, daily: [] }, 'endpoints', query),
  };
}

/** By what spending is counted: keys by the id that stays when they are rotated. */
function spenderId(record: object): string {
  const ids = ['token_id', 'team_id', 'organization_id', 'user_id', 'agent_id'] as const;
  const facts = record as Readonly<Partial<Record<(typeof ids)[number], string>>>;
  const own = 'agent_name' in record ? 'agent_id' : 'organization_alias' in record ? 'organization_id' : undefined;
  return facts[own ?? ids.find((it) => facts[it] !== undefined) ?? 'user_id'] ?? '';
}
