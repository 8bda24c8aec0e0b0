import { BoundedMap } from '../../../platform/boundedMap.ts';
import type { VisibleServer } from '../mcpDeps.ts';
import { callerOf } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { gather, type ServerItem } from '../methods/gathering.ts';

/** Callers and addresses whose resources are remembered at a time. */
const maxMemories = 512;

/** An address that no server knows is looked for again only after this: lists of all servers are dear. */
const lookAgainMs = 5_000;

interface Memory {
  readonly askedMs: number;
  readonly byUri: Map<string, string>;
  /** The literal beginning of each template. */
  readonly templates: { readonly start: string; readonly serverId: string }[];
}

/** Resources keep their addresses when several servers are shown as one; who owns which is remembered from their lists. */
export class ResourceRouting {
  readonly #memories = new BoundedMap<string, Memory>(maxMemories);

  /** Whose resource this is; asks the servers for their lists where that is not known yet. */
  async ownerOf(mcp: McpRequest, uri: string): Promise<VisibleServer | undefined> {
    const known = this.#find(mcp, uri);
    if (known) return known;
    const askedMs = this.#memories.get(memoryName(mcp))?.askedMs;
    if (askedMs !== undefined && mcp.deps.clock.monotonicMs() - askedMs < lookAgainMs) return undefined;
    const [resources, templates] = await Promise.all([
      gather(mcp, 'resources/list'),
      gather(mcp, 'resources/templates/list'),
    ]);
    this.#remember(mcp, resources.items, templates.items);
    return this.#find(mcp, uri);
  }

  #remember(mcp: McpRequest, resources: readonly ServerItem[], templates: readonly ServerItem[]): void {
    const memory: Memory = { askedMs: mcp.deps.clock.monotonicMs(), byUri: new Map(), templates: [] };
    for (const { server, item } of resources) {
      const { uri } = item;
      // Two servers may have the same address: it is the first one's, in the order in which the caller sees them.
      if (typeof uri === 'string' && !memory.byUri.has(uri)) memory.byUri.set(uri, server.server.server_id);
    }
    for (const { server, item } of templates) {
      const template = item['uriTemplate'];
      if (typeof template !== 'string') continue;
      if (!memory.byUri.has(template)) memory.byUri.set(template, server.server.server_id);
      memory.templates.push({ start: template.split('{')[0] ?? '', serverId: server.server.server_id });
    }
    memory.templates.sort((a, b) => b.start.length - a.start.length);
    this.#memories.set(memoryName(mcp), memory);
  }

  /** Lists changed: they are asked for anew. */
  forget(): void {
    this.#memories.clear();
  }

  #find(mcp: McpRequest, uri: string): VisibleServer | undefined {
    const memory = this.#memories.get(memoryName(mcp));
    const serverId =
      memory?.byUri.get(uri) ?? memory?.templates.find((it) => it.start !== '' && uri.startsWith(it.start))?.serverId;
    return mcp.scope.servers.find((it) => it.isWhole && it.server.server_id === serverId);
  }
}

const memoryName = (mcp: McpRequest) =>
  [callerOf(mcp.context), mcp.scope.address, ...mcp.scope.servers.map((it) => it.server.server_id)].join('\u0000');
