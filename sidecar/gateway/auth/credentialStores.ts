import * as z from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import { AgentSecretFields } from '../../protocol/gateway/agent.ts';
import { McpCredentials, type McpServerRecord } from '../../protocol/gateway/mcpServer.ts';
import { ModelSecretFields } from '../../protocol/gateway/model.ts';
import type { RegisteredClientStore, UsedStates, UserTokenStore } from '../backends/oauth/stores.ts';
import { bind, openBound } from '../storage/boundSecrets.ts';
import type { GatewayStore } from '../storage/store.ts';
import { readUserCredential, readUserVariables } from '../storage/userValues.ts';
import type { DraftServers } from './draftServers.ts';

const UserToken = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_at_ms: z.number().optional(),
  scopes: z.array(z.string()).optional(),
  missing_scopes: z.array(z.string()).optional(),
  issuer: z.string().optional(),
  renewed_at: z.string().optional(),
  connected_at_ms: z.number(),
});
const RegisteredClient = z.object({
  issuer: z.string(),
  client_id: z.string(),
  client_secret: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
  redirect_uris: z.array(z.string()),
});

/** How long one refresh may take before another replica may try. */
const LEASE_MS = 30_000;
const LEASE_STEP_MS = 50;

/** Kinds of what is sealed. */
export const sealedKinds = {
  server: 'mcp_server',
  agent: 'agent',
  model: 'model',
  credential: 'credential',
  userToken: 'user_token',
  client: 'oauth_client',
} as const;

/** What a person's sign-ins gave us, sealed; a refresh is one replica's at a time. */
export function userTokens({ secrets, leases }: GatewayStore, clock: Clock, wait: Wait): UserTokenStore {
  return {
    async read({ server_id, user, origins }) {
      const value = openBound(origins, await secrets.get(sealedKinds.userToken, server_id, user));
      return value === undefined ? undefined : UserToken.parse(value);
    },
    write: ({ server_id, user, origins }, value) =>
      secrets.put(sealedKinds.userToken, server_id, user, bind(origins, value)),
    remove: ({ server_id, user }) => secrets.remove(sealedKinds.userToken, server_id, user),
    lease: ({ server_id, user }, work) =>
      underLease(leases, `token ${encodeURIComponent(server_id)} ${user}`, clock, wait, work),
  };
}
export type Wait = (ms: number) => Promise<void>;

/** Runs the work while no other with this name runs, here or at another replica. */
async function underLease<T>(
  leases: GatewayStore['leases'],
  name: string,
  clock: Clock,
  wait: Wait,
  work: () => Promise<T>,
): Promise<T> {
  const own = leases.forWork();
  const untilMs = clock.monotonicMs() + LEASE_MS;
  while (!(await own.take(name, LEASE_MS))) {
    if (clock.monotonicMs() > untilMs)
      throw new Fault('unavailable', 'Another sign-in to this MCP server is in progress. Try again.');
    await wait(LEASE_STEP_MS);
  }
  try {
    return await work();
  } finally {
    await own.release(name);
  }
}

export function registeredClients({ secrets, leases }: GatewayStore, clock: Clock, wait: Wait): RegisteredClientStore {
  return {
    async read({ server_id, origins }) {
      const value = openBound(origins, await secrets.get(sealedKinds.client, server_id, 'client'));
      return value === undefined ? undefined : RegisteredClient.parse(value);
    },
    write: ({ server_id, origins }, value) =>
      secrets.put(sealedKinds.client, server_id, 'client', bind(origins, value)),
    lease: ({ server_id }, work) => underLease(leases, `client ${encodeURIComponent(server_id)}`, clock, wait, work),
  };
}

export const usedStates = ({ leases }: GatewayStore): UsedStates => ({
  claim: (id, expiresAtMs) => leases.claim(`state ${id}`, expiresAtMs),
});

/**
 * The credentials of servers, agents and models, opened when they are first needed and forgotten with every change of the record.
 */
export class BackendSecretsCache {
  readonly #store: GatewayStore;
  readonly #drafts: Pick<DraftServers, 'find'>;
  readonly #kept = new Map<string, unknown>();
  #changes = 0;

  constructor(store: GatewayStore, drafts: Pick<DraftServers, 'find'>) {
    this.#store = store;
    this.#drafts = drafts;
    store.changes.listen((kind, id) => {
      this.#changes += 1;
      this.#kept.delete(`${kind} ${id}`);
    });
  }

  server(id: string): McpCredentials | Promise<McpCredentials> {
    return this.#drafts.find(id)?.secrets ?? this.#of(sealedKinds.server, id, McpCredentials);
  }
  agent(id: string): AgentSecretFields | Promise<AgentSecretFields> {
    return this.#of(sealedKinds.agent, id, AgentSecretFields);
  }
  model(id: string): ModelSecretFields | Promise<ModelSecretFields> {
    return this.#of(sealedKinds.model, id, ModelSecretFields);
  }

  #of<T>(kind: string, id: string, schema: z.ZodType<T>): T | Promise<T> {
    const name = `${kind} ${id}`;
    const known = this.#kept.get(name);
    return known === undefined ? this.#read(kind, id, name, schema) : (known as T);
  }

  async #read<T>(kind: string, id: string, name: string, schema: z.ZodType<T>): Promise<T> {
    const before = this.#changes;
    const text = await this.#store.secrets.get(kind, id, 'credentials');
    const value = schema.parse(text === undefined ? {} : JSON.parse(text));
    if (this.#changes === before) this.#kept.set(name, value); // else it may be older than the change
    return value;
  }
}

type Registered = Pick<McpServerRecord, 'server_id' | 'server_name' | 'alias' | 'url'>;

/** What a person keeps at the gateway for a server: their own credential, their own values of its variables. */
export interface OwnValues {
  /** @throws {Fault} `auth_required` where the person has none yet */
  credential(server: Registered, person: string): Promise<string>;
  variables(server: Registered, person: string): Promise<Readonly<Record<string, string>>>;
}

export const ownValues = ({ secrets }: GatewayStore): OwnValues => ({
  async credential(server, person) {
    const value = await readUserCredential(secrets, server, person);
    if (value !== undefined) return value;
    const { server_id, alias, server_name } = server;
    const name = alias || server_name || server_id;
    throw new Fault(
      'auth_required',
      `The MCP server '${name}' requires your own credential. Add it, and then try again.`,
      {
        data: { reason: 'byok_auth_required', server_id, server_name: name },
      },
    );
  },
  variables: (server, person) => readUserVariables(secrets, server, person),
});
