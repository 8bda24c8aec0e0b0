import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';
import { sameJson } from '../../../sidecar/protocol/collections.ts';
import type { Random } from '../../fuzz/random.ts';
import type { Books } from './books.ts';
import { HttpLine } from './httpLine.ts';
import type { Rights } from './rights.ts';
import { hostOf, idOf, PRICE, SERVERS, TOOLS } from './simBackends.ts';
import type { SimCaller } from './simCaller.ts';
import type { SimReplica } from './simReplica.ts';

export interface AdminDeps {
  readonly random: Random;
  readonly rights: Rights;
  readonly books: Books;
  readonly callers: readonly SimCaller[];
  readonly adminKey: string;
  readonly upReplica: () => SimReplica | undefined;
  readonly count: (what: string) => void;
  readonly violation: (what: string) => void;
}
/** What a record contains after a write; without `fields`, it does not exist. */
interface Left {
  readonly kind: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}
interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly left: Left;
}

const TEAM = 'team';

/** An administrator, who makes one change after another with the management API. */
export class Admin {
  readonly #deps: AdminDeps;
  #line: { readonly line: HttpLine; readonly replica: SimReplica } | undefined;
  isBusy = false;

  constructor(deps: AdminDeps) {
    this.#deps = deps;
  }

  /** Adds the first servers, team, and keys. @throws if one is refused */
  async setUp(): Promise<void> {
    const all = [
      ...SERVERS.map((it) => serverWrite(it)),
      teamWrite('/team/new', { object_permission: { mcp_servers: SERVERS.map(idOf) }, max_budget: PRICE * 40 }),
      ...this.#deps.callers.map((it) => this.#keyFor(it)),
    ];
    for (const it of all) {
      const status = await this.#write(it);
      if (status === undefined || status >= 300) throw new Error(`${it.path} was answered with ${status}`);
    }
  }

  /** Makes any change. */
  act(): string {
    const write = this.#any();
    if (!write) return 'nothing';
    this.isBusy = true;
    void this.#write(write).finally(() => {
      this.isBusy = false;
    });
    return `${write.path} ${JSON.stringify(write.body ?? {})}`;
  }

  #any(): Write | undefined {
    const { random, callers, rights } = this.#deps;
    const caller = random.pick(callers);
    const record = rights.newestOf<{ readonly blocked?: boolean | null }>('key', caller.token);
    if (!record) return this.#keyFor(caller);
    const ofKey = (path: string, fields: object, body: object = fields): Write => ({
      method: 'POST',
      path,
      body: { key: caller.token, ...body },
      left: { kind: 'key', id: caller.token, fields: fields as Left['fields'] },
    });
    if (record.blocked && random.chance(0.5)) return ofKey('/key/unblock', { blocked: false }, {});
    const server = random.pick(SERVERS);
    if (!rights.newestOf('mcp_server', idOf(server))) return serverWrite(server);
    switch (random.below(10)) {
      case 0:
      case 1:
      case 2:
        return ofKey('/key/update', { object_permission: this.#permission() });
      case 3:
        return random.chance(0.5)
          ? ofKey('/key/update', { max_budget: this.#budget() })
          : teamWrite('/team/update', { max_budget: this.#raised() });
      case 4:
        return record.blocked || random.chance(0.3)
          ? ofKey('/key/unblock', { blocked: false }, {})
          : ofKey('/key/block', { blocked: true }, {});
      case 5: {
        const left = { kind: 'key', id: caller.token, fields: undefined };
        return { method: 'POST', path: '/key/delete', body: { keys: [caller.token] }, left };
      }
      case 6:
      case 7: {
        const fields = {
          allowed_tools: this.#tools(),
          disallowed_tools: random.chance(0.3) ? [random.pick(TOOLS)] : [],
        };
        return serverWrite(server, fields);
      }
      case 8:
        return random.chance(0.5)
          ? teamWrite('/team/update', { object_permission: this.#permission() })
          : teamWrite(random.chance(0.7) ? '/team/unblock' : '/team/block', undefined);
      default: {
        const left = { kind: 'mcp_server', id: idOf(server), fields: undefined };
        return { method: 'DELETE', path: `/v1/mcp/server/${idOf(server)}`, left };
      }
    }
  }

  #keyFor(caller: SimCaller): Write {
    const { random, callers } = this.#deps;
    const key = `sk-${random.id()}-${random.id()}`;
    caller.key = key;
    caller.sessions = [];
    caller.broken = [];
    const isOfTeam = caller === callers[0];
    const fields = {
      object_permission: this.#permission(),
      max_budget: this.#budget(),
      ...(isOfTeam && { team_id: TEAM }),
    };
    return {
      method: 'POST',
      path: '/key/generate',
      body: { key, ...fields },
      left: { kind: 'key', id: hashKey(key), fields },
    };
  }

  #permission(): object {
    const { random } = this.#deps;
    const servers = SERVERS.filter(() => random.chance(0.7)).map(idOf);
    const tools = SERVERS.filter(() => random.chance(0.3)).map((it) => [idOf(it), this.#tools()]);
    if (random.chance(0.2)) return { mcp_tool_permissions: Object.fromEntries(tools) };
    return { mcp_servers: servers, ...(tools.length > 0 && { mcp_tool_permissions: Object.fromEntries(tools) }) };
  }
  #tools(): readonly string[] {
    return TOOLS.filter(() => this.#deps.random.chance(0.6));
  }
  /** A little more than the team's current budget. */
  #raised(): number {
    const { max_budget = 0 } = this.#deps.rights.newestOf<{ readonly max_budget?: number }>('team', TEAM) ?? {};
    return Math.round((max_budget + PRICE * this.#deps.random.below(40)) * 100) / 100;
  }
  #budget(): number {
    return PRICE * (1 + this.#deps.random.below(this.#deps.random.chance(0.3) ? 10 : 100));
  }

  /** @returns the status; `undefined` if no answer came */
  #write({ method, path, body, left }: Write): Promise<number | undefined> {
    const { adminKey, random, count, violation } = this.#deps;
    const replica = this.#deps.upReplica();
    if (!replica) return Promise.resolve(undefined);
    if (!this.#line?.line.isFree || this.#line.replica !== replica || random.chance(0.1))
      this.#line = { line: new HttpLine(replica.connect()), replica };
    const headers = { authorization: `Bearer ${adminKey}`, accept: 'application/json' };
    const { line } = this.#line;
    return new Promise((resolve) => {
      line.send(
        { method, path, headers, ...(body && { body }) },
        {
          onBroken: () => resolve(undefined),
          onEnd: ({ status }, text) => {
            count(status < 300 ? 'written' : `not written (${status})`);
            if (status === 400 || status === 422 || status === 403) violation(`${path} was refused: ${text}`);
            if (status < 300) this.#acknowledged(left, replica);
            resolve(status);
          },
        },
      );
    });
  }

  /** An acknowledged write is committed, and the replica that acknowledged it applies it from now on. */
  #acknowledged({ kind, id, fields }: Left, replica: SimReplica): void {
    const { rights, violation } = this.#deps;
    replica.answeredCommit = replica.ownCommit;
    this.#deps.books.writes += 1;
    const found = rights.newestOf<Record<string, unknown>>(kind, id);
    if (fields === undefined && found) violation(`the deletion of ${kind} ${id} was acknowledged, but it still exists`);
    for (const [name, value] of Object.entries(fields ?? {}))
      if (!found || !sameJson(found[name], value))
        violation(
          `a change of '${name}' of ${kind} ${id} was acknowledged, but the value is ${JSON.stringify(found?.[name])}`,
        );
  }
}

function serverWrite(server: string, fields?: Readonly<Record<string, unknown>>): Write {
  const left = { kind: 'mcp_server', id: idOf(server), fields: fields ?? { alias: server } };
  if (fields) return { method: 'PUT', path: '/v1/mcp/server', body: { server_id: idOf(server), ...fields }, left };
  const body = {
    server_id: idOf(server),
    alias: server,
    url: `http://${hostOf(server)}/mcp`,
    allow_private_network: true,
    mcp_info: { mcp_server_cost_info: { default_cost_per_query: PRICE } },
  };
  return { method: 'POST', path: '/v1/mcp/server', body, left };
}

function teamWrite(path: string, fields: Readonly<Record<string, unknown>> | undefined): Write {
  const left = { kind: 'team', id: TEAM, fields: fields ?? { blocked: path === '/team/block' } };
  return { method: 'POST', path, body: { team_id: TEAM, ...fields }, left };
}
