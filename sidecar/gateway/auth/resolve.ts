import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import type { KeyRecord } from '../../protocol/gateway/key.ts';
import type { ProviderIdentity, UserRecord } from '../../protocol/gateway/people.ts';
import type { Caller, Holder } from './caller.ts';
import type { Credential } from './credential.ts';
import type { Directory } from './directory.ts';
import type { Identity } from './identity.ts';
import { hashKey } from './keys.ts';
import { type GroupRights, highestRole, keyOfPerson } from './pageCaller.ts';
import type { WrongKeys } from './wrongKeys.ts';

/** Why a key is refused, as a value of `error.type`. */
export type Refusal = 'auth_error' | 'token_not_found_in_db' | 'expired_key';

interface KnownCaller {
  readonly token: string;
  readonly version: number;
  readonly caller: Caller;
}

const isUnknown = (thrown: unknown): boolean =>
  thrown instanceof Fault && (thrown.data as { reason?: Refusal } | undefined)?.reason === 'token_not_found_in_db';

const refused = (reason: Refusal, message: string) => new Fault('auth_required', message, { data: { reason } });

/** Finds out who sent a key; remembers it for as long as no record changes. */
export class CallerResolver {
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #wrongKeys: WrongKeys | undefined;
  readonly #holders = new Map<string, Holder>();
  /** By what a connection says of its caller: the same object while no record changes. */
  readonly #callers = new WeakMap<Identity, KnownCaller>();
  readonly #tokens = new WeakMap<Credential, string>();
  #version = -1;

  /** @param wrongKeys absent where only one person reaches this gateway */
  constructor(directory: Directory, clock: Clock, wrongKeys?: WrongKeys) {
    this.#directory = directory;
    this.#clock = clock;
    this.#wrongKeys = wrongKeys;
  }

  /**
   * At once where the caller is known.
   *
   * @throws {Fault} `auth_required` with `data.reason`: no key, an unknown, expired or blocked one; `forbidden` where the
   *   caller names an agent that is not there or not the key's; `rate_limited` where too many unknown keys came from there;
   *   `unavailable` where the database does not answer
   * @param from the address that sent the key
   */
  resolve(credential: Credential | undefined, identity: Identity, from: string): Caller | Promise<Caller> {
    if (!credential)
      throw refused('auth_error', 'A virtual key is required. Send it as "x-gateway-api-key: Bearer <key>".');
    let token = this.#tokens.get(credential);
    if (token === undefined) this.#tokens.set(credential, (token = hashKey(credential.key)));
    this.#wrongKeys?.check(from, token);
    const found = this.byHash(token, identity);
    if (found instanceof Promise) return this.#tried(found, token, from);
    this.#wrongKeys?.good(token);
    return found;
  }

  async #tried(found: Promise<Caller>, token: string, from: string): Promise<Caller> {
    try {
      const caller = await found;
      this.#wrongKeys?.good(token);
      return caller;
    } catch (thrown) {
      if (isUnknown(thrown)) this.#wrongKeys?.unknown(from, token);
      throw thrown;
    }
  }

  /** For a caller whose key was seen before, by its hash. @throws {Fault} as {@link resolve} */
  byHash(token: string, identity: Identity): Caller | Promise<Caller> {
    const known = this.#callers.get(identity);
    if (known?.token !== token || known.version !== this.#directory.version) return this.#readCaller(token, identity);
    this.#checkKey(known.caller);
    return known.caller;
  }

  /**
   * For a person whom the identity provider signed in. Their record is looked at for each request.
   * @throws {Fault} as {@link resolve}
   */
  async byUser(userId: string, rights: GroupRights, identity: Identity): Promise<Caller> {
    const user = await this.#directory.get('user', userId);
    if (!user) throw refused('auth_error', 'Your user was deleted. Ask an administrator for access.');
    const role = highestRole([user.user_role, rights.user_role]) ?? rights.default_role;
    const key = keyOfPerson(user, role);
    const holder: Holder = {
      key,
      isAdmin: role === 'proxy_admin',
      team: undefined,
      organization: undefined,
      user: { ...user, user_role: role },
      owner: undefined,
      groupRights: rights,
    };
    return this.#callerFrom(holder, identity);
  }

  async #readCaller(token: string, identity: Identity): Promise<Caller> {
    const { version } = this.#directory;
    const holder = await this.#holder(token);
    const caller = await this.#callerFrom(holder, identity);
    // A key in its time of grace is looked at anew each time: that time ends without a write.
    const isKept = version === this.#directory.version && holder.key.token === token;
    if (isKept) this.#callers.set(identity, { token, version, caller });
    return caller;
  }

  /**
   * For a caller without a stored key, for whom a verified token stands. The record holds what a key of theirs would. Remembers
   * nothing.
   *
   * @throws {Fault} as {@link resolve}
   */
  async forRecord(key: KeyRecord, vouchedFor: ProviderIdentity, identity: Identity): Promise<Caller> {
    return this.#callerFrom({ ...(await this.#read(key)), vouchedFor }, identity);
  }

  async #callerFrom(holder: Holder, identity: Identity): Promise<Caller> {
    this.#checkKey(holder);
    const { endUserId } = identity;
    const endUser = endUserId === undefined ? undefined : await this.#directory.get('end_user', endUserId);
    if (endUser?.blocked) throw refused('auth_error', `The end user '${endUser.user_id}' is blocked.`);
    const agent = holder.owner ?? (identity.agentId === undefined ? undefined : await this.#agent(identity.agentId));
    if (identity.agentId !== undefined && !agent) {
      throw new Fault(
        'forbidden',
        'The x-gateway-agent-id header does not match any A2A agent on this gateway. Omit it, or send the ID of a registered agent.',
        {
          data: { field: 'x-gateway-agent-id' },
        },
      );
    }
    if (holder.owner && identity.agentId !== undefined && !isNamed(holder.owner, identity.agentId)) {
      throw new Fault('forbidden', 'The x-gateway-agent-id header does not match the A2A agent that owns this key.', {
        data: { field: 'x-gateway-agent-id' },
      });
    }
    const mayDebug = holder.isAdmin || holder.key.allow_debug === true;
    return {
      ...holder,
      endUser,
      endUserId,
      agent,
      traceId: identity.traceId,
      sessionId: identity.sessionId,
      tags: identity.tags,
      debug: identity.debug && mayDebug,
      isDebugRefused: identity.debug && !mayDebug,
      mcpServers: identity.mcpServers,
      mcpAccessGroups: identity.mcpAccessGroups,
    };
  }

  async #holder(token: string): Promise<Holder> {
    if (this.#version !== this.#directory.version) {
      this.#holders.clear();
      this.#version = this.#directory.version;
    }
    const known = this.#holders.get(token);
    if (known) return known;
    const version = this.#version;
    const key = (await this.#directory.get('key', token)) ?? (await this.#inGrace(token));
    if (!key) throw refused('token_not_found_in_db', 'This virtual key is unknown or was deleted.');
    const holder = await this.#read(key);
    if (version === this.#directory.version && key.token === token) this.#holders.set(token, holder);
    return holder;
  }

  async #inGrace(token: string): Promise<KeyRecord | undefined> {
    const grace = await this.#directory.get('key_grace', token);
    if (!grace || Date.parse(grace.expires) <= this.#clock.nowMs()) return undefined;
    return this.#directory.get('key', grace.current);
  }

  async #read(key: KeyRecord): Promise<Holder> {
    const one = <T>(id: string | null | undefined, read: (id: string) => T) => (id ? read(id) : undefined);
    const team = await one(key.team_id, (id) => this.#directory.get('team', id));
    const organizationId = key.organization_id ?? team?.organization_id;
    const [organization, user, owner] = await Promise.all([
      one(organizationId, (id) => this.#directory.get('organization', id)),
      one(key.user_id, (id) => this.#directory.get('user', id)),
      one(key.agent_id, (id) => this.#agent(id)),
    ]);
    // A key whose team, organisation or agent is gone would be one without their limits.
    const isOrphan = (key.team_id && !team) || (organizationId && !organization) || (key.agent_id && !owner);
    if (isOrphan) throw refused('auth_error', "This key's team, organization, or A2A agent no longer exists.");
    return { key, isAdmin: isAdministrator(key, user), team, organization, user, owner };
  }

  async #agent(nameOrId: string) {
    const { catalogue, agents } = await this.#directory.registered();
    const [id] = catalogue.agentIds(nameOrId);
    return agents.find((it) => it.agent_id === id);
  }

  #checkKey({ key, team, organization, user, groupRights }: Holder): void {
    if (key.blocked) throw refused('auth_error', 'This virtual key is blocked.');
    if (key.expires && Date.parse(key.expires) <= this.#clock.nowMs()) {
      throw refused('expired_key', `This virtual key expired on ${key.expires}.`);
    }
    if (user?.blocked)
      throw refused('auth_error', groupRights ? 'Your user is blocked.' : "This virtual key's user is blocked.");
    if (team?.blocked) throw refused('auth_error', "This virtual key's team is blocked.");
    if (organization?.blocked) throw refused('auth_error', "This virtual key's organization is blocked.");
  }
}

/** By the role of the key, else by that of its user. An agent acts for itself, whoever owns its key. */
export function isAdministrator({ role, agent_id }: KeyRecord, user: UserRecord | undefined): boolean {
  return role ? role === 'proxy_admin' : user?.user_role === 'proxy_admin' && !agent_id;
}

const isNamed = (agent: { readonly agent_id: string; readonly agent_name: string }, name: string) =>
  agent.agent_id === name || agent.agent_name === name;
