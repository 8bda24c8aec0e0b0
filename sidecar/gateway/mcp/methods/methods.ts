import { isRecord } from '../../../platform/isRecord.ts';
import { legacyVersions, mcpErrors, modernVersions, type RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { answerOf } from '../../backends/mcp/replies.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { mapAnswer, namespacedReply } from '../aggregation/aggregation.ts';
import { splitName } from '../aggregation/names.ts';
import { RpcRefusal, resultReply } from '../answers.ts';
import { unsupported } from '../era.ts';
import { nameOf, type VisibleServer } from '../mcpDeps.ts';
import { connectionKey, idPlace, link, type McpRequest, send, waited } from '../mcpRequest.ts';
import { askResiliently } from '../resilient.ts';
import type { McpState } from '../session/mcpState.ts';
import { callOrSearch } from '../toolSearch/toolSearchOnUse.ts';
import { admitPart, withinLimits } from './admission.ts';
import { listAggregated, listOne } from './lists.ts';
import { openState, sealState } from './requestState.ts';
import { isListMethod, sendList } from './serverItems.ts';
import { subscribe } from './subscriptions.ts';
import { versionsOf } from './versions.ts';
import { answerWithoutServer, noPrompt, noReference, noResource } from './wholeOnly.ts';

/** Answers a request of a client, from one server or from several. `initialize` is the session's affair. */
export const answer = (mcp: McpRequest, state: McpState): Promise<Reply> =>
  withinLimits(mcp, () => dispatch(mcp, state));

/** @throws {RpcRefusal} at once, or later as a rejection */
function dispatch(mcp: McpRequest, state: McpState): Promise<Reply> {
  const { method, id } = mcp.request;
  const judged = mcp.deps.options.methods.get(method)?.judged;
  if (judged === undefined || judged === 'notification') throw notFound(mcp);
  if (method === 'ping') return Promise.resolve(resultReply(id, {}));
  if (judged === 'tool') return callOrSearch(mcp, state);
  if (judged === 'subscription' && mcp.era === 'modern') return subscribe(mcp, state);
  const [only] = mcp.scope.servers;
  if (mcp.scope.kind === 'single' && only) {
    if (judged === 'toolList') return listOne(mcp, only, state);
    const own = only.isWhole ? undefined : answerWithoutServer(mcp);
    return own ? Promise.resolve(own) : passOn(mcp, only, mcp.request);
  }
  const aggregated = Object.hasOwn(aggregatedMethods, method) ? aggregatedMethods[method] : undefined;
  if (!aggregated) throw notFound(mcp);
  return aggregated(mcp, state);
}

const notFound = ({ era }: McpRequest) =>
  new RpcRefusal(mcpErrors.methodNotFound, 'Method not found', { status: era === 'modern' ? 404 : 200 });

type AggregatedMethod = (mcp: McpRequest, state: McpState) => Promise<Reply>;

const aggregatedMethods: Readonly<Record<string, AggregatedMethod | undefined>> = {
  'server/discover': discoverAggregated,
  'tools/list': listAggregated,
  'prompts/list': listAggregated,
  'resources/list': listAggregated,
  'resources/templates/list': listAggregated,
  'prompts/get': getPrompt,
  'resources/read': ofResource,
  'resources/subscribe': ofResource,
  'resources/unsubscribe': ofResource,
  'completion/complete': complete,
  'logging/setLevel': setLevel,
};

/** Sends a request to its server as it is, and its answer back as it comes. */
async function passOn(mcp: McpRequest, visible: VisibleServer, request: RpcRequest): Promise<Reply> {
  const { server_id } = visible.server;
  const outgoing = openState(mcp, server_id, request);
  const reply = isListMethod(request.method)
    ? await sendList(mcp, visible, outgoing)
    : await send(mcp, visible, { request: outgoing, isOpenEnded: false });
  const sealed = await sealState(mcp, server_id, outgoing, reply);
  const versions = request.method === 'server/discover' ? await versionsOf(mcp) : undefined;
  const judged = mcp.era === 'modern' ? await keepPrivate(mcp, sealed, versions) : sealed;
  const place = idPlace(mcp, visible.server);
  return place === undefined ? judged : namespacedReply(place, judged);
}

/**
 * Each key may see something else, so caches must not share an answer between keys.
 *
 * @param versions replace the versions that the server lists
 */
function keepPrivate(mcp: McpRequest, reply: Reply, versions: readonly string[] | undefined): Promise<Reply> {
  return mapAnswer(reply, mcp.request, (message) => {
    if (!('result' in message) || (message.result['cacheScope'] !== 'public' && !versions)) return undefined;
    const own = { ...(versions && { supportedVersions: versions }), cacheScope: 'private' };
    return { ...message, result: { ...message.result, ...own } };
  });
}

async function toOwner(mcp: McpRequest, visible: VisibleServer, request: RpcRequest): Promise<Reply> {
  await admitPart(mcp, visible);
  return passOn(mcp, visible, request);
}

async function getPrompt(mcp: McpRequest): Promise<Reply> {
  const name = mcp.request.params?.['name'];
  const addressed =
    typeof name === 'string' ? splitName(mcp.scope.servers, mcp.deps.options.separator, name) : undefined;
  if (!addressed?.server.isWhole) throw noPrompt();
  return toOwner(mcp, addressed.server, { ...mcp.request, params: { ...mcp.request.params, name: addressed.name } });
}

async function ofResource(mcp: McpRequest, { resourceRouting }: McpState): Promise<Reply> {
  const uri = mcp.request.params?.['uri'];
  if (typeof uri !== 'string') throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: uri is missing');
  const owner = await resourceRouting.ownerOf(mcp, uri);
  if (owner) return toOwner(mcp, owner, mcp.request);
  throw noResource(mcp);
}

async function complete(mcp: McpRequest, { resourceRouting }: McpState): Promise<Reply> {
  const ref = mcp.request.params?.['ref'];
  const { separator } = mcp.deps.options;
  if (isRecord(ref) && ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const addressed = splitName(mcp.scope.servers, separator, ref['name']);
    if (addressed?.server.isWhole) {
      const params = { ...mcp.request.params, ref: { ...ref, name: addressed.name } };
      return toOwner(mcp, addressed.server, { ...mcp.request, params });
    }
  }
  if (isRecord(ref) && ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const owner = await resourceRouting.ownerOf(mcp, ref['uri']);
    if (owner) return toOwner(mcp, owner, mcp.request);
  }
  throw noReference();
}

/** It is sent to all connected servers of the session now, to the others when they are connected. */
async function setLevel(mcp: McpRequest): Promise<Reply> {
  const level = mcp.request.params?.['level'];
  if (typeof level !== 'string') throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: level is missing');
  if (mcp.session) mcp.session.logLevel = level;
  const connected = mcp.session ? mcp.scope.servers : [];
  await Promise.allSettled(
    connected.map(async (it) => {
      const outbound = await mcp.deps.outbound(it.server, mcp.context, { method: mcp.request.method });
      if (mcp.deps.connections.peek(connectionKey(mcp, it.server, outbound)))
        await answerOf(await send(mcp, it, { request: mcp.request }), nameOf(it.server));
    }),
  );
  return resultReply(mcp.request.id, {});
}

async function discoverAggregated(mcp: McpRequest): Promise<Reply> {
  const supportedVersions = await versionsOf(mcp);
  if (supportedVersions === legacyVersions) throw RpcRefusal.of(unsupported(modernVersions[0], legacyVersions));
  return resultReply(mcp.request.id, {
    resultType: 'complete',
    supportedVersions,
    capabilities: mergedCapabilities,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo(mcp.deps.options.version) },
  });
}

/** What several servers together may be able to do: which of them can what is found out when they are asked. */
export const mergedCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
} as const;

export const serverInfo = (version: string) => ({ name: 'switchboard', title: 'Switchboard', version });

/** For sessions with one server: the server's own answer to `initialize`. */
export async function initializeOne(mcp: McpRequest, visible: VisibleServer) {
  const { backend } = await waited(
    mcp,
    askResiliently(mcp, visible, async () => link(mcp, visible, { method: 'initialize' })),
  );
  return backend;
}
