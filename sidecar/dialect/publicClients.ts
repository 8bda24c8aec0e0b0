import { BoundedMap } from '../platform/boundedMap.ts';
import { isRecord } from '../platform/isRecord.ts';
import { ChannelNames } from './channelNames.ts';
import type { Json } from './json.ts';
import type { PublicVersion } from './publicVersions.ts';

/** Most clients that are remembered, also those that are away. One that was forgotten says `initialize` again. */
const MAX_CLIENTS = 1_000;

/** What decides how a client is shown something. */
export interface View {
  readonly version: PublicVersion;
  /** By session, both as the host names them; of those that the client looked at. */
  readonly defaultChats: Pick<Map<string, string>, 'get' | 'set'>;
}
/** What is remembered of a client from one connection to the next. */
export interface PublicClient extends View {
  readonly id: string;
  readonly names: Pick<ChannelNames, 'toPublic' | 'toHost' | 'learn' | 'knows' | 'forget'>;
  /** Settings of the root that the host has; what else a client wants to set there is its own. */
  readonly rootSettings: Set<string>;
  /** What agents say of the resources that they need a token for. */
  readonly protectedResources: Map<string, Json>;
}

/** Clients of the public protocol, by their ids. Nothing of this outlives the process. */
export class PublicClients {
  readonly #clients = new BoundedMap<string, PublicClient>(MAX_CLIENTS);

  get(clientId: unknown): PublicClient | undefined {
    return this.#clients.get(String(clientId));
  }

  /** A client says hello: what was agreed on before is gone. What it called its channels is not. */
  add(clientId: unknown, version: PublicVersion): PublicClient {
    const client = {
      id: String(clientId),
      version,
      names: this.get(clientId)?.names ?? new ChannelNames(),
      defaultChats: new Map<string, string>(),
      rootSettings: new Set<string>(),
      protectedResources: new Map<string, Json>(),
    };
    this.#clients.set(client.id, client);
    return client;
  }
}

/** Learns from the state of the root, or from the action that brings other agents. */
export function learnRoot(client: PublicClient, { agents, config }: Json): void {
  for (const agent of Array.isArray(agents) ? agents : [])
    for (const it of isRecord(agent) && Array.isArray(agent['protectedResources']) ? agent['protectedResources'] : [])
      if (isRecord(it) && typeof it['resource'] === 'string') client.protectedResources.set(it['resource'], it);
  const schema = isRecord(config) ? config['schema'] : undefined;
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  for (const key of isRecord(properties) ? Object.keys(properties) : []) client.rootSettings.add(key);
}
