import { BoundedMap } from '../../platform/boundedMap.ts';
import type { McpCredentials, McpServerRecord } from '../../protocol/gateway/mcpServer.ts';
import type { RegisteredClient, RegisteredClientStore, UserToken, UserTokenStore } from '../backends/oauth/stores.ts';

/** How long people can sign in to a server that is not saved. */
export const TRIAL_MS = 300_000;
/** Of all administrators together; the oldest goes first. */
const KEPT = 100;
/** No saved server has such an id: theirs hold no colon. */
const PREFIX = 'trial:';

interface Trial {
  readonly server: McpServerRecord;
  readonly secrets: McpCredentials;
  /** Who tries it. */
  readonly user: string;
  readonly untilMs: number;
  token: UserToken | undefined;
  client: RegisteredClient | undefined;
}

/**
 * Servers that administrators sign in to before they save them. All of it is in the memory of this process alone, the tokens
 * too: nothing of a trial is ever written.
 */
export class DraftServers {
  readonly #nowMs: () => number;
  readonly #kept = new BoundedMap<string, Trial>(KEPT);

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** @param server with an id of its own. @returns the same with the id of the trial, and when it ends */
  begin(server: McpServerRecord, secrets: McpCredentials, user: string) {
    const untilMs = this.#nowMs() + TRIAL_MS;
    const tried = { ...server, server_id: `${PREFIX}${server.server_id}` };
    for (const [id, it] of this.#kept) if (it.untilMs <= this.#nowMs()) this.#kept.delete(id);
    this.#kept.set(tried.server_id, { server: tried, secrets, user, untilMs, token: undefined, client: undefined });
    return { server: tried, untilMs };
  }

  /** @param user left out: whoever tries it */
  find(serverId: string, user?: string): Pick<Trial, 'server' | 'secrets'> | undefined {
    const found = this.#kept.get(serverId);
    const isOver = !found || found.untilMs <= this.#nowMs() || (user !== undefined && found.user !== user);
    return isOver ? undefined : found;
  }

  /** Tokens for trials stay here; one that comes too late goes nowhere. */
  tokens(saved: UserTokenStore): UserTokenStore {
    const own = (ref: { readonly server_id: string }) => this.#kept.get(ref.server_id);
    return {
      read: async (ref) => (isTrial(ref.server_id) ? own(ref)?.token : saved.read(ref)),
      write: async (ref, token) => (isTrial(ref.server_id) ? assign(own(ref), { token }) : saved.write(ref, token)),
      remove: async (ref) => (isTrial(ref.server_id) ? assign(own(ref), { token: undefined }) : saved.remove(ref)),
      lease: (ref, work) => (isTrial(ref.server_id) ? work() : saved.lease(ref, work)),
    };
  }

  clients(saved: RegisteredClientStore): RegisteredClientStore {
    const own = (ref: { readonly server_id: string }) => this.#kept.get(ref.server_id);
    return {
      read: async (ref) => (isTrial(ref.server_id) ? own(ref)?.client : saved.read(ref)),
      write: async (ref, client) => (isTrial(ref.server_id) ? assign(own(ref), { client }) : saved.write(ref, client)),
      lease: (ref, work) => (isTrial(ref.server_id) ? work() : saved.lease(ref, work)),
    };
  }
}

const isTrial = (serverId: string) => serverId.startsWith(PREFIX);

function assign(trial: Trial | undefined, values: Partial<Pick<Trial, 'token' | 'client'>>): void {
  if (trial) Object.assign(trial, values);
}
