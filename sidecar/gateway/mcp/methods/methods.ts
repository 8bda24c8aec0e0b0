import { isRecord } from '../../../platform/isRecord.ts';
import { legacyVersions, mcpErrors, modernVersions, type RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { answerOf } from '../../backends/mcp/replies.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { mapAnswer, ownedReply } from '../aggregation/aggregation.ts';
import { splitName } from '../aggregation/names.ts';
import { RpcRefusal, resultReply } from '../answers.ts';
import { unsupported } from '../era.ts';
import { link, type McpRequest, send, targetOf, waited } from '../mcpRequest.ts';
import { nameOf, type VisibleServer } from '../services.ts';
import type { McpState } from '../session/mcpState.ts';
import { admitPart, withinLimits } from './admission.ts';
import { callTool } from './callTool.ts';
import { listOne, listSeveral } from './lists.ts';
import { openState, sealState } from './requestState.ts';
import { subscribe } from './subscriptions.ts';
import { answerWithoutServer, noPrompt, noReference, noResource } from './wholeOnly.ts';

/** Answers a request of a client, from one server or from several. `initialize` is the session's affair. */
export const answer = (x: McpRequest, shared: McpState): Promise<Reply> => withinLimits(x, () => dispatch(x, shared));

async function dispatch(x: McpRequest, shared: McpState): Promise<Reply> {
  const { method, id } = x.request;
  const judged = x.deps.options.methods.get(method)?.judged;
  if (judged === undefined || judged === 'notification') throw notFound(x);
  if (method === 'ping') return resultReply(id, {});
  if (judged === 'tool') return callTool(x, shared);
  if (judged === 'subscription' && x.era === 'modern') return subscribe(x, shared);
  const [only] = x.scope.servers;
  if (x.scope.kind === 'single' && only) {
    if (judged === 'toolList') return listOne(x, only);
    return (only.isWhole ? undefined : answerWithoutServer(x)) ?? passOn(x, only, x.request);
  }
  const several = Object.hasOwn(severalMethods, method) ? severalMethods[method] : undefined;
  if (!several) throw notFound(x);
  return several(x, shared);
}

const notFound = ({ era }: McpRequest) =>
  new RpcRefusal(mcpErrors.methodNotFound, 'Method not found', { status: era === 'modern' ? 404 : 200 });

type Several = (x: McpRequest, shared: McpState) => Promise<Reply>;

const severalMethods: Readonly<Record<string, Several | undefined>> = {
  'server/discover': discoverSeveral,
  'tools/list': listSeveral,
  'prompts/list': listSeveral,
  'resources/list': listSeveral,
  'resources/templates/list': listSeveral,
  'prompts/get': getPrompt,
  'resources/read': ofResource,
  'resources/subscribe': ofResource,
  'resources/unsubscribe': ofResource,
  'completion/complete': complete,
  'logging/setLevel': setLevel,
};

/** Sends a request to its server as it is, and its answer back as it comes. */
async function passOn(x: McpRequest, visible: VisibleServer, request: RpcRequest): Promise<Reply> {
  const { server_id } = visible.server;
  const outgoing = openState(x, server_id, request);
  const reply = await send(x, visible, { request: outgoing, isOpenEnded: false });
  const sealed = await sealState(x, server_id, outgoing, reply);
  return x.era === 'modern' ? keepPrivate(x, sealed) : sealed;
}

/** What one key may see is no other key's, so no cache on the way may share it. */
function keepPrivate(x: McpRequest, reply: Reply): Promise<Reply> {
  return mapAnswer(reply, x.request, (message) =>
    'result' in message && message.result['cacheScope'] === 'public'
      ? { ...message, result: { ...message.result, cacheScope: 'private' } }
      : undefined,
  );
}

async function toOwner(x: McpRequest, visible: VisibleServer, request: RpcRequest): Promise<Reply> {
  await admitPart(x, visible);
  return ownedReply(visible.server.server_id, await passOn(x, visible, request));
}

async function getPrompt(x: McpRequest): Promise<Reply> {
  const name = x.request.params?.['name'];
  const addressed = typeof name === 'string' ? splitName(x.scope.servers, x.deps.options.separator, name) : undefined;
  if (!addressed?.server.isWhole) throw noPrompt();
  return toOwner(x, addressed.server, { ...x.request, params: { ...x.request.params, name: addressed.name } });
}

async function ofResource(x: McpRequest, { owners }: McpState): Promise<Reply> {
  const uri = x.request.params?.['uri'];
  if (typeof uri !== 'string') throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: uri is missing');
  const owner = await owners.ownerOf(x, uri);
  if (owner) return toOwner(x, owner, x.request);
  throw noResource(x);
}

async function complete(x: McpRequest, { owners }: McpState): Promise<Reply> {
  const ref = x.request.params?.['ref'];
  const { separator } = x.deps.options;
  if (isRecord(ref) && ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const addressed = splitName(x.scope.servers, separator, ref['name']);
    if (addressed?.server.isWhole) {
      const params = { ...x.request.params, ref: { ...ref, name: addressed.name } };
      return toOwner(x, addressed.server, { ...x.request, params });
    }
  }
  if (isRecord(ref) && ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const owner = await owners.ownerOf(x, ref['uri']);
    if (owner) return toOwner(x, owner, x.request);
  }
  throw noReference();
}

/** All servers of the session that are connected hear it now, the others when they are. */
async function setLevel(x: McpRequest): Promise<Reply> {
  const level = x.request.params?.['level'];
  if (typeof level !== 'string') throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: level is missing');
  if (x.session) x.session.logLevel = level;
  const connected = x.session ? x.scope.servers : [];
  await Promise.allSettled(
    connected.map(async (it) => {
      const outbound = await x.deps.outbound(it.server, x.context, { method: x.request.method });
      const key = { target: targetOf(it.server, x.deps), era: x.era, outbound, session: x.session?.id } as const;
      if (x.deps.connections.peek(key)) await answerOf(await send(x, it, { request: x.request }), nameOf(it.server));
    }),
  );
  return resultReply(x.request.id, {});
}

/** Versions that all servers speak. One that speaks only older ones makes clients fall back: eras are not bridged. */
async function discoverSeveral(x: McpRequest): Promise<Reply> {
  const { deps, scope, context } = x;
  const asked = await Promise.allSettled(
    scope.servers.map(async ({ server }) => {
      const outbound = await deps.outbound(server, context, { method: 'server/discover' });
      return deps.eras.speaksModern(targetOf(server, deps), outbound);
    }),
  );
  const isLegacy = asked.some((it) => it.status === 'fulfilled' && !it.value);
  if (isLegacy) throw RpcRefusal.of(unsupported(modernVersions[0], legacyVersions));
  return resultReply(x.request.id, {
    resultType: 'complete',
    supportedVersions: [...modernVersions],
    capabilities: mergedCapabilities,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo(deps.options.version) },
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
export async function initializeOne(x: McpRequest, visible: VisibleServer) {
  const { backend } = await waited(x, link(x, visible, { method: 'initialize' }));
  return backend;
}
