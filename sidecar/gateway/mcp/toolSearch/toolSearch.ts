import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Recent } from '../../../platform/boundedMap.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import type { RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { paramHeaders } from '../../backends/mcp/bridge/translate.ts';
import type { Item } from '../../backends/mcp/listAll.ts';
import { replyOf } from '../../backends/mcp/replies.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { readShape, shapeOf, twinWords } from '../../wire/shape.ts';
import { refusedTool, resultReply } from '../answers.ts';
import { callerOf, nameOf } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { admitPart, admitRequest } from '../methods/admission.ts';
import { addressTool, callTool } from '../methods/callTool.ts';
import { type Gathered, gatherTools, generationsOf } from '../methods/gathering.ts';
import type { McpState } from '../session/mcpState.ts';
import { metaNames } from './metaNames.ts';
import { indexOf, rank, type ToolIndex } from './ranking.ts';

/** How long a search uses the lists that it asked for. */
const KNOWN_MS = 60_000;
/** Of all catalogs together, in characters of their JSON. */
const MAX_WEIGHT = 64_000_000;
/** Of the names of servers in the description of the search, in characters. */
const MAX_NAMES = 1_000;
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;

const SearchArguments = z.strictObject({
  query: z.string().min(1).max(1_000),
  limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
});
const CallArguments = z.strictObject({
  name: z.string().min(1).max(512),
  arguments: z.record(z.string(), z.unknown()).default({}),
});
const searchMembers = shapeOf({ query: null, limit: null });
const callMembers = shapeOf({ name: null, arguments: null });

/** The tools that one caller may use at one address, as its servers listed them. */
interface Catalog {
  readonly untilMs: number;
  /** Of the lists of each server when they were asked for. */
  readonly generations: readonly number[];
  readonly parts: readonly { readonly serverId: string; readonly index: ToolIndex }[];
  readonly failed: readonly string[];
}

/** Finds tools for callers whose lists are long, and calls what they found. */
export class ToolSearch {
  readonly #catalogs = new Recent<Catalog>(MAX_WEIGHT);
  /** By their content: callers who may use the same tools share an index. */
  readonly #indexes = new Recent<ToolIndex>(MAX_WEIGHT);

  forget(): void {
    this.#catalogs.clear();
  }

  /** The two tools, as they are listed. @param gathered if this is all that the caller may use: the next search uses it */
  shown(mcp: McpRequest, count: number, gathered: Gathered | undefined): readonly Item[] {
    if (gathered) this.#remember(mcp, gathered);
    const names = mcp.scope.servers.map((it) => nameOf(it.server)).join(', ');
    const servers = names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES)}, …` : names;
    return [
      {
        name: metaNames.search,
        title: 'Search tools',
        description: `Finds tools by what they do, and returns the best matches with their input schemas. Call a tool that was found with ${metaNames.call}. Search before you decide that something cannot be done: ${count} tools are not listed here. They belong to: ${servers}.`,
        inputSchema: {
          type: 'object',
          properties: {
            query: {
              type: 'string',
              description: 'What the tool does, in a few words, or its name. For example: create issue',
            },
            limit: {
              type: 'integer',
              minimum: 1,
              maximum: MAX_LIMIT,
              default: DEFAULT_LIMIT,
              description: 'How many tools are returned at most.',
            },
          },
          required: ['query'],
          additionalProperties: false,
        },
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      {
        name: metaNames.call,
        title: 'Call a tool',
        description: `Calls a tool that ${metaNames.search} found, and returns its result.`,
        inputSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', description: `The name of the tool, exactly as ${metaNames.search} returned it.` },
            arguments: {
              type: 'object',
              description: 'The arguments of the tool, as its input schema describes them.',
            },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
    ];
  }

  /** Answers a call of the search. */
  async find(mcp: McpRequest): Promise<Reply> {
    mcp.record.note({ model: `MCP: ${metaNames.search}` });
    const settle = await admitRequest(mcp);
    try {
      const read = readArguments(mcp, SearchArguments, searchMembers);
      if ('words' in read) return refuse(mcp, read.words);
      const { query, limit } = read.value;
      const { parts, failed } = await this.#catalogOf(mcp);
      const visible = new Map(mcp.scope.servers.map((it) => [it.server.server_id, it]));
      // Rights may have changed since the lists were read.
      const mayShow = (serverId: string | undefined, tool: Item | undefined) => {
        const addressed = addressTool(mcp, String(tool?.['name']));
        const server = visible.get(serverId ?? '');
        return server !== undefined && addressed?.server === server && server.allows(addressed.name);
      };
      const lists = parts.map((it) => it.index);
      const found = rank(lists, query, limit, ({ list, tool }) =>
        mayShow(parts[list]?.serverId, lists[list]?.tools[tool]),
      );
      const tools = found.map(({ list, tool }) => foundTool(lists[list]?.tools[tool] ?? {}));
      const told = { tools, ...(tools.length === 0 && { message: noMatch }) };
      return resultReply(mcp.request.id, {
        content: [{ type: 'text', text: JSON.stringify(told) }],
        ...(failed.length > 0 && { _meta: { 'switchboard/failed_servers': failed } }),
        ...(mcp.era === 'modern' && { resultType: 'complete' }),
      });
    } finally {
      settle();
    }
  }

  /** Calls a tool that was found: judged, limited, and recorded as if its caller had called it by its name. */
  async call(mcp: McpRequest, state: McpState): Promise<Reply> {
    const read = readArguments(mcp, CallArguments, callMembers);
    if ('words' in read) {
      mcp.record.note({ model: `MCP: ${metaNames.call}` });
      return refuse(mcp, read.words);
    }
    const { request } = mcp;
    const headers = mcp.era === 'modern' ? await this.#headersFor(mcp, read.value) : undefined;
    const named = {
      ...mcp,
      ...(headers && { headers }),
      request: { ...request, params: { ...request.params, ...read.value } },
    };
    return callTool(named, state);
  }

  /** The caller sent the headers that the tool's arguments need to none but this gateway (MCP 2026-07-28, `x-mcp-header`). */
  async #headersFor(mcp: McpRequest, { name, arguments: args }: z.infer<typeof CallArguments>): Promise<Headers> {
    const { parts } = await this.#catalogOf(mcp);
    const tool = parts.flatMap((it) => it.index.tools).find((it) => it['name'] === name);
    return new Headers({ ...paramHeaders(tool, args) });
  }

  async #catalogOf(mcp: McpRequest): Promise<Catalog> {
    const known = this.#catalogs.get(placeOf(mcp));
    const isKnown = known && mcp.deps.clock.monotonicMs() < known.untilMs;
    if (isKnown && generationsOf(mcp).every((it, at) => it === known.generations[at])) return known;
    return this.#remember(mcp, await gatherTools(listing(mcp), (server) => admitPart(mcp, server)));
  }

  #remember(mcp: McpRequest, { items, failed, generations }: Gathered): Catalog {
    const byServer = new Map<string, Item[]>();
    for (const { server, item } of items) {
      const own = byServer.get(server.server.server_id);
      if (own) own.push(item);
      else byServer.set(server.server.server_id, [item]);
    }
    let weight = 0;
    const parts = [...byServer].map(([serverId, tools]) => {
      const text = JSON.stringify(tools);
      weight += text.length;
      return { serverId, index: this.#indexOf(tools, text) };
    });
    const untilMs = mcp.deps.clock.monotonicMs() + KNOWN_MS;
    const catalog = { untilMs, generations, parts, failed };
    this.#catalogs.set(placeOf(mcp), catalog, weight);
    return catalog;
  }

  #indexOf(tools: readonly Item[], text: string): ToolIndex {
    const hash = createHash('sha256').update(text).digest('base64');
    const known = this.#indexes.get(hash);
    if (known) return known;
    const index = indexOf(tools);
    this.#indexes.set(hash, index, text.length);
    return index;
  }
}

const noMatch = 'No tool matches. Search again with other words.';

/** What an agent needs to call it. */
const foundTool = ({ name, title, description, inputSchema, annotations }: Item) => ({
  name,
  title,
  description,
  inputSchema,
  annotations,
});

/** Whose catalog it is. Calls are judged for themselves, so it decides only what is found. */
const placeOf = (mcp: McpRequest): string =>
  [callerOf(mcp.context), mcp.era, mcp.scope.address, ...mcp.scope.servers.map((it) => it.server.server_id)].join(
    '\u0000',
  );

/** The request for the lists. Progress of the call is not theirs. */
function listing(mcp: McpRequest): McpRequest {
  const meta = mcp.request.params?.['_meta'];
  const { progressToken: _, ...kept } = isRecord(meta) ? meta : {};
  const params = mcp.era === 'modern' ? { _meta: kept } : {};
  const request: RpcRequest = { jsonrpc: '2.0', id: mcp.request.id, method: 'tools/list', params };
  return { ...mcp, request };
}

function readArguments<T>(
  { request }: McpRequest,
  schema: z.ZodType<T>,
  members: ReturnType<typeof shapeOf>,
): { readonly value: T } | { readonly words: string } {
  const shaped = readShape(request.params?.['arguments'] ?? {}, members);
  if ('twin' in shaped) return { words: `The arguments are not valid: ${twinWords(shaped.twin)}.` };
  const parsed = schema.safeParse(shaped.value);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    words: `The arguments are not valid: ${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'invalid'}.`,
  };
}

function refuse(mcp: McpRequest, words: string): Reply {
  mcp.outcome.failure = words;
  mcp.outcome.code = 'invalid_params';
  return replyOf(refusedTool(mcp.request.id, words, mcp.era === 'modern'));
}
