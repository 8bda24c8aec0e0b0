import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import type { McpServerRecord } from '../../../sidecar/protocol/gateway/mcpServer.ts';
import type { ObjectPermission } from '../../../sidecar/protocol/gateway/objectPermission.ts';
import type { TeamRecord } from '../../../sidecar/protocol/gateway/people.ts';
import type { SimTime } from '../time.ts';
import type { DatabaseLink } from './databaseLink.ts';
import type { SimDatabase } from './simDatabase.ts';
import { MOST_LATENCY_MS } from './simDatabase.ts';
import type { SimReplica } from './simReplica.ts';

/** A replica polls each second. Each request and its response may be slow, and an earlier poll may have to finish first. */
export const KNOWN_MS = 1_000 + 6 * MOST_LATENCY_MS;
/** Replicas that cannot read changes for a minute no longer use their caches. */
const STALE_MS = 60_000 + 2 * KNOWN_MS;
/** The number of commits that are kept. */
const MOST_COMMITS = 4_000;

interface Version {
  readonly commit: number;
  readonly by: DatabaseLink;
  /** `undefined` if it was deleted. */
  readonly body: unknown;
}
/** What a replica must know at some moment. */
export interface Known {
  /** Everything that was committed up to here. */
  readonly to: number;
  /** Also its own commits up to here. */
  readonly ownTo: number;
  readonly link: DatabaseLink;
}
interface Commit {
  readonly commit: number;
  readonly atMs: number;
}
/** The records that decide about one call, at one moment. */
interface Moment {
  readonly key: KeyRecord | undefined;
  readonly team: TeamRecord | undefined;
  readonly server: McpServerRecord | undefined;
}
export type Verdict = 'allowed' | 'hidden' | 'nobody';

/**
 * The history of all committed records, from which permissions are computed independently of the gateway's code. A call may
 * be judged by any state between the last one that its replica must know and the newest one.
 */
export class Rights {
  readonly #database: SimDatabase;
  readonly #time: SimTime;
  readonly #versions = new Map<string, Version[]>();
  #commits: Commit[] = [];
  #seq = 0;
  newest = 0;

  constructor(database: SimDatabase, time: SimTime) {
    this.#database = database;
    this.#time = time;
  }

  /** Reads a commit. @returns whether it changed a record */
  note(by: DatabaseLink): boolean {
    const changes = this.#database.read<{ seq: number; kind: string; id: string }>(
      'select seq, kind, id from changes where seq > ? order by seq',
      this.#seq,
    );
    if (changes.length === 0) return false;
    this.newest += 1;
    this.#commits.push({ commit: this.newest, atMs: this.#time.passedMs });
    if (this.#commits.length > MOST_COMMITS) this.#commits = this.#commits.slice(-MOST_COMMITS / 2);
    for (const { seq, kind, id } of changes) {
      this.#seq = seq;
      const sql = 'select body from records where kind = ? and id = ?';
      const [row] = this.#database.read<{ body: string }>(sql, kind, id);
      const name = `${kind} ${id}`;
      const versions = this.#versions.get(name) ?? [];
      versions.push({ commit: this.newest, by, body: row && JSON.parse(row.body) });
      this.#versions.set(name, versions);
    }
    return true;
  }

  /** What a replica must know by now. */
  knownTo({ link, reachesSinceMs, answeredCommit, bornCommit }: SimReplica): Known {
    const nowMs = this.#time.passedMs;
    const isFollowing = !link.isCut && nowMs - reachesSinceMs >= KNOWN_MS;
    const untilMs = isFollowing ? nowMs - KNOWN_MS : nowMs - STALE_MS;
    const old = this.#commits.findLast((it) => it.atMs <= untilMs)?.commit ?? 0;
    return { to: Math.max(old, bornCommit), ownTo: answeredCommit, link };
  }

  newestOf<T>(kind: string, id: string): T | undefined {
    return this.#versions.get(`${kind} ${id}`)?.at(-1)?.body as T | undefined;
  }
  /** The last version that is not a deletion. */
  lastOf<T>(kind: string, id: string): T | undefined {
    return this.#versions.get(`${kind} ${id}`)?.findLast((it) => it.body !== undefined)?.body as T | undefined;
  }
  /** The largest budget that a key or team ever had; `undefined` if it had none at some time. */
  largestBudget(kind: 'key' | 'team', id: string): number | undefined {
    let largest = 0;
    for (const { body } of this.#versions.get(`${kind} ${id}`) ?? []) {
      if (body === undefined) continue;
      const { max_budget } = body as Pick<KeyRecord, 'max_budget'>;
      if (typeof max_budget !== 'number') return undefined;
      largest = Math.max(largest, max_budget);
    }
    return largest;
  }

  /** All verdicts that are possible for a call that was sent when its replica had to know `known`. */
  verdicts(token: string, serverId: string, tool: string, known: Known | 'newest'): ReadonlySet<Verdict> {
    const found = new Set<Verdict>();
    for (const key of this.#since<KeyRecord>('key', token, known))
      for (const team of key?.team_id ? this.#since<TeamRecord>('team', key.team_id, known) : [undefined])
        for (const server of this.#since<McpServerRecord>('mcp_server', serverId, known))
          found.add(verdictOf({ key, team, server }, tool));
    return found;
  }

  /** The last version that is known, and all later ones. */
  #since<T>(kind: string, id: string, known: Known | 'newest'): readonly (T | undefined)[] {
    const versions = this.#versions.get(`${kind} ${id}`) ?? [];
    const isKnown = ({ commit, by }: Version) =>
      known === 'newest' || commit <= known.to || (by === known.link && commit <= known.ownTo);
    const at = versions.findLastIndex(isKnown);
    const later = versions.slice(Math.max(0, at)).map((it) => it.body as T | undefined);
    return at < 0 ? [undefined, ...later] : later;
  }
}

function verdictOf({ key, team, server }: Moment, tool: string): Verdict {
  const isOrphan = key?.team_id && !team;
  if (!key || key.blocked || isOrphan || team?.blocked) return 'nobody';
  if (!server) return 'hidden';
  const levels = [key.object_permission, team?.object_permission].map((it) => it ?? {});
  // With `defaultAccess: 'none'`, nothing is allowed if neither the key nor the team names servers.
  const isGranted = levels.some(saysServers) && levels.every((it) => lets(it, server, tool));
  const isOffered =
    (!server.allowed_tools?.length || server.allowed_tools.includes(tool)) && !server.disallowed_tools?.includes(tool);
  return isGranted && isOffered ? 'allowed' : 'hidden';
}

const saysServers = ({ mcp_servers, mcp_tool_permissions }: ObjectPermission): boolean =>
  Array.isArray(mcp_servers) || Object.keys(mcp_tool_permissions ?? {}).length > 0;

function lets(level: ObjectPermission, server: McpServerRecord, tool: string): boolean {
  const { mcp_servers, mcp_tool_permissions } = level;
  if (!saysServers(level)) return true;
  const tools = mcp_tool_permissions?.[server.server_id];
  const hasServer = mcp_servers ? mcp_servers.includes(server.server_id) : tools !== undefined;
  return hasServer && (tools === undefined || tools.includes(tool));
}
