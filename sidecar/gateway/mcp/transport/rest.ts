import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { type HttpResponse, TextResponse } from '../../../platform/httpMessages.ts';
import type { RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { BackendFailure } from '../../backends/mcp/failure.ts';
import type { Item } from '../../backends/mcp/listAll.ts';
import { nestsDeeper } from '../../backends/mcp/nestsDeeper.ts';
import { answerOf } from '../../backends/mcp/replies.ts';
import type { RouteCall } from '../../routing/route.ts';
import { shapeOf } from '../../wire/shape.ts';
import { Freshness } from '../aggregation/mergedLists.ts';
import { prefixed } from '../aggregation/names.ts';
import { type Scope, select } from '../aggregation/scope.ts';
import { failedBy } from '../failed.ts';
import { type McpContext, type McpServer, nameOf, type VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { admitPart, admitRequest } from '../methods/admission.ts';
import { guardList, noteOmitted, shownTools } from '../methods/gathering.ts';
import { settledLists } from '../methods/readyLists.ts';
import { serve } from '../methods/serve.ts';
import { itemsOf } from '../methods/serverItems.ts';
import type { FrontDeps } from '../requestContext.ts';
import type { McpState } from '../session/mcpState.ts';
import { callOrSearch } from '../toolSearch/toolSearchOnUse.ts';
import { readJson, restRequest } from './restRequest.ts';

const CallBody = z.object({
  name: z.string().min(1).max(512),
  arguments: z.record(z.string(), z.unknown()).optional(),
  server_id: z.string().optional(),
});

const callMembers = shapeOf({ name: null, arguments: null, server_id: null });

/** `GET /mcp-rest/tools/list`. Always 200: what could not be listed is said in `error`. */
export async function listTools(call: RouteCall, front: FrontDeps): Promise<HttpResponse> {
  const { request, context } = call;
  const query = new URL(request.url).searchParams;
  const servers = await serversOf(front, context, query);
  if (servers.length === 0 && hasChoice(query))
    return TextResponse.json(failure('server_not_found', 'MCP server not found.'));
  const includesDisabled = query.get('include_disabled_tools') === 'true' && context.caller.isAdmin;
  const { tools, failed } = await toolsOf(front, call, servers, includesDisabled);
  if (failed.length === 0) return listResponse(tools, { error: null, message: 'Successfully listed tools' });
  const error = failed.length === servers.length ? 'server_error' : 'partial_failure';
  return listResponse(tools, { error, message: failed.join(' ') });
}

/** @param tools as JSON */
const listResponse = (tools: string, more: { readonly error: string | null; readonly message: string }) =>
  new TextResponse(`{"tools":${tools},${JSON.stringify(more).slice(1)}`, 200, { 'content-type': 'application/json' });

/** `GET /v1/mcp/tools`: what the key may use. */
export async function listForKey(call: RouteCall, front: FrontDeps): Promise<HttpResponse> {
  const servers = await front.deps.visible(call.context);
  const { tools } = await toolsOf(front, call, servers, false);
  return new TextResponse(`{"tools":${tools}}`, 200, { 'content-type': 'application/json' });
}

const choices = ['server_id', 'mcp_server_name', 'toolset_name'] as const;
const hasChoice = (query: URLSearchParams) => choices.some((it) => query.has(it));

async function serversOf(
  { deps }: FrontDeps,
  context: McpContext,
  query: URLSearchParams,
): Promise<readonly VisibleServer[]> {
  const toolset = query.get('toolset_name');
  const visible = toolset === null ? await deps.visible(context) : ((await deps.toolset(context, toolset)) ?? []);
  const named = query.get('server_id') ?? query.get('mcp_server_name');
  return named === null ? visible : select(visible, [named]);
}

async function toolsOf(
  front: FrontDeps,
  call: RouteCall,
  servers: readonly VisibleServer[],
  includesDisabled: boolean,
): Promise<ListedTools> {
  const message: RpcRequest = { jsonrpc: '2.0', id: 'sb-rest', method: 'tools/list' };
  const mcp = restRequest(front, call, { kind: 'several', servers, address: call.route.path }, message);
  const settle = await admitRequest(mcp).catch((thrown: unknown) => {
    mcp.record.finish(failedBy(thrown));
    throw thrown;
  });
  const listed = await keptTools(mcp, front.state, includesDisabled);
  settle();
  const { failed } = listed;
  mcp.record.finish(
    failed.length > 0 && failed.length === servers.length
      ? { status: 'failure', error: 'The tools could not be listed on any server.', error_code: 'server_error' }
      : { status: 'success' },
  );
  return listed;
}

interface ListedTools {
  /** As JSON. */
  readonly tools: string;
  /** Why a server is missing, a sentence each. */
  readonly failed: readonly string[];
}

/** The tools of all servers, of which only those that failed are asked again while the lists of the others are kept. */
async function keptTools(mcp: McpRequest, { mergedLists }: McpState, includesDisabled: boolean): Promise<ListedTools> {
  const name = `${includesDisabled}`;
  const kept = mergedLists.find<string>(mcp, name);
  if (kept) {
    const { lists, failed } = await askAll(mcp, kept.failed, { includesDisabled });
    if (lists.length === 0) return { tools: kept.value, failed };
    mergedLists.drop(mcp, name);
  }
  const freshness = new Freshness(mcp.deps);
  const { lists, missing, failed } = await askAll(mcp, mcp.scope.servers, { includesDisabled, freshness });
  const tools = JSON.stringify(lists.flat());
  mergedLists.keep(mcp, name, { value: tools, failed: missing }, freshness, { weight: tools.length });
  return { tools, failed };
}

async function askAll(mcp: McpRequest, servers: readonly VisibleServer[], asked: Omit<Asking, 'starting'>) {
  const { options, timers } = mcp.deps;
  // One for all servers that are asked, as all are asked at once.
  let limit: AbortSignal | undefined;
  const starting = () => (limit ??= AbortSignal.any([mcp.signal, timers.deadline(options.listTimeoutMs)]));
  const asking = { ...asked, starting };
  const all = await settledLists(servers.map((server) => ({ server, list: toolsOfOne(mcp, server, asking) })));
  const missing: VisibleServer[] = [];
  const failed: string[] = [];
  for (const { server, found } of all) {
    if (found?.status !== 'rejected') continue;
    missing.push(server);
    failed.push(whyNot(found.reason, nameOf(server.server)));
    noteOmitted(mcp, server, 'tools/list', found.reason);
  }
  const lists = all.flatMap(({ found }) => (found?.status === 'fulfilled' ? [found.value] : []));
  return { lists, missing, failed };
}

/** Failures and faults are worded for the caller; anything else is for the log. */
const whyNot = (thrown: unknown, name: string): string =>
  thrown instanceof BackendFailure || thrown instanceof Fault
    ? thrown.message
    : `The tools on '${name}' could not be listed. See the gateway log for the reason.`;

interface Asking {
  readonly includesDisabled: boolean;
  readonly starting: () => AbortSignal;
  readonly freshness?: Freshness;
}

async function toolsOfOne(
  mcp: McpRequest,
  visible: VisibleServer,
  { includesDisabled, ...asking }: Asking,
): Promise<readonly Item[]> {
  await admitPart(mcp, visible, asking.freshness);
  const guard = await guardList(mcp, visible, 'tools/list');
  const all = await itemsOf(mcp, visible, { method: 'tools/list', ...asking, ...guard });
  const shown = includesDisabled ? all : await shownTools(mcp, visible, all);
  return shown.map((it) => describedTool(mcp, visible, it));
}

/** What was made of a tool, for as long as its list is kept and its server stays the same. */
const described = new WeakMap<Item, { readonly server: McpServer; readonly tool: Item }>();

function describedTool({ deps }: McpRequest, visible: VisibleServer, item: Item): Item {
  const { server } = visible;
  const known = described.get(item);
  if (known?.server === server) return known.tool;
  const tool = {
    ...deps.cleanTool(item),
    namespaced_name: prefixed(visible, deps.options.separator, String(item['name'])),
    mcp_info: {
      server_name: server.server_name ?? null,
      server_id: server.server_id,
      alias: server.alias ?? null,
      logo_url: server.mcp_info?.['logo_url'] ?? null,
    },
  };
  described.set(item, { server, tool });
  return tool;
}

/** @throws {Fault} `invalid_params` for a bad body, `forbidden` for a tool that the caller may not call */
export async function callByRest(call: RouteCall, front: FrontDeps): Promise<HttpResponse> {
  const { request, context, route } = call;
  const body = await readJson(front, request, CallBody, callMembers).catch((thrown: unknown) => {
    front.deps
      .record(context, { endpoint: route.path, call_type: 'mcp:tools/call', model: 'MCP: unread' })
      .finish(failedBy(thrown));
    throw thrown;
  });
  const visible = await front.deps.visible(context);
  const servers = body.server_id === undefined ? visible : select(visible, [body.server_id]);
  const scope: Scope = { kind: body.server_id === undefined ? 'several' : 'single', servers, address: 'rest' };
  const params = { name: body.name, arguments: body.arguments ?? {} };
  const message: RpcRequest = { jsonrpc: '2.0', id: 'sb-rest', method: 'tools/call', params };
  const mcp = restRequest(front, call, scope, message);
  const answer = await answerOf(await serve(mcp, front.state, () => callOrSearch(mcp, front.state)), body.name);
  const { refusal } = mcp.outcome;
  if (refusal) return guardrailError(refusal);
  if (mcp.outcome.isForbidden) throw new Fault('forbidden', mcp.outcome.failure ?? 'access denied');
  if ('error' in answer) throw new Fault('internal', `The MCP server returned error ${answer.error.code}.`);
  if (nestsDeeper(answer.result)) throw new Fault('internal', "The MCP server's response is nested too deeply.");
  return TextResponse.json(answer.result);
}

function guardrailError(refusal: NonNullable<McpRequest['outcome']['refusal']>): Response {
  const { error, message, guardrail_name } = refusal;
  const body = {
    error: { message, type: error, param: null, code: '400' },
    detail: { error, message, guardrail_name },
  };
  return Response.json(body, { status: 400 });
}

const failure = (error: string, message: string) => ({ tools: [], error, message });
