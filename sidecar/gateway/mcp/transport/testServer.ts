import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { HttpResponse } from '../../../platform/httpMessages.ts';
import type { RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { OpenApiOptions } from '../../../protocol/gateway/openapi.ts';
import { HandshakeRefused } from '../../backends/mcp/handshake.ts';
import { listAll } from '../../backends/mcp/listAll.ts';
import type { RouteCall } from '../../routing/route.ts';
import { failedBy } from '../failed.ts';
import { type McpServer, nameOf, type VisibleServer } from '../mcpDeps.ts';
import { link } from '../mcpRequest.ts';
import type { FrontDeps } from '../requestContext.ts';
import { readJson, restRequest, wordsFor } from './restRequest.ts';

const text = z.string().nullish();
/** A server record as somebody typed it, before it is saved; members that are not read here go on to `outbound`. */
const Draft = z.looseObject({
  /** Of a trial that was begun: what is known of that counts. */
  server_id: text,
  server_name: text,
  alias: text,
  transport: z.enum(['http', 'sse', 'stdio']).default('http'),
  url: z.url({ protocol: /^https?$/ }).nullish(),
  spec_path: z.url({ protocol: /^https?$/ }).nullish(),
  openapi: OpenApiOptions.nullish(),
  from_config: z.undefined().catch(undefined),
  command: text,
  args: z.array(z.string()).nullish(),
  env: z.record(z.string(), z.string()).nullish(),
  auth_type: text,
  timeout: z.number().positive().max(600).nullish(),
});

/**
 * `POST /mcp-rest/test/…`: tries a server that is not saved. It may start a program or reach any address, so only
 * admins may, and the rules for commands and addresses are those of saved servers (CVE-2026-42271).
 *
 * @throws {Fault} `forbidden` for everybody else, `invalid_params` for a record that is none
 */
export async function testServer(
  front: FrontDeps,
  call: RouteCall,
  what: 'connection' | 'tools',
): Promise<HttpResponse> {
  const { request, context } = call;
  if (!context.caller.isAdmin) throw new Fault('forbidden', 'Only administrators can test servers.');
  const draft = await readJson(front, request, Draft);
  const tried = draft.server_id ? front.deps.tried(context, draft.server_id) : undefined;
  const server: McpServer = tried ?? { ...draft, server_id: `test-${front.deps.newId()}` };
  const visible: VisibleServer = { server, allows: () => true, isWhole: true };
  const message: RpcRequest = { jsonrpc: '2.0', id: 'sb-test', method: 'tools/list' };
  const scope = { kind: 'single', servers: [visible], address: server.server_id } as const;
  const mcp = restRequest(front, call, scope, message);
  try {
    const found = await link(mcp, visible, { method: 'tools/list' });
    const tools =
      what === 'tools' ? await listAll(found.backend, nameOf(server), 'tools/list', found.options) : undefined;
    const openapi = tools && (await found.backend.preview?.());
    mcp.record.finish({ status: 'success' });
    return Response.json(
      tools
        ? { tools, error: null, message: 'Successfully listed tools', ...(openapi && { openapi }) }
        : { status: 'ok', message: 'Connected.' },
    );
  } catch (thrown) {
    const words = thrown instanceof HandshakeRefused ? 'The server rejected the initialize request.' : wordsFor(thrown);
    mcp.record.finish(failedBy(thrown));
    if (words === undefined) throw thrown;
    return Response.json(
      what === 'tools' ? { tools: [], error: 'server_error', message: words } : { status: 'error', message: words },
    );
  } finally {
    await front.deps.connections.endServer(server.server_id);
    front.deps.eras.forget(server.server_id);
  }
}
