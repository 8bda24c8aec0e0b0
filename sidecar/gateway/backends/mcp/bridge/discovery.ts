import * as z from 'zod';
import {
  InitializeResult,
  legacyVersions,
  mcpErrors,
  metaKeys,
  modernVersions,
  type RpcRequest,
} from '../../../../protocol/gateway/mcpWire.ts';
import { BackendFailure } from '../failure.ts';
import { HandshakeRefused } from '../handshake.ts';
import { ask } from '../replies.ts';
import type { McpBackend, McpTarget, RequestOptions } from '../types.ts';

const About = InitializeResult.pick({ capabilities: true, instructions: true });
const Discovered = About.extend({
  supportedVersions: z.array(z.string()),
  _meta: z
    .object({ [metaKeys.serverInfo]: InitializeResult.shape.serverInfo })
    .optional()
    .catch(undefined),
});
const Refused = z.object({ data: z.object({ supported: z.array(z.string()) }) });

/** What a server of the modern era says about itself. */
export interface Discovery {
  /** Only those that the gateway also speaks. At least one is of the modern era. */
  readonly versions: readonly string[];
  /** As in an answer to `initialize`; absent if the server only listed its versions. */
  readonly about: Omit<InitializeResult, 'protocolVersion'> | undefined;
}

/** The introduction of a modern connection. It is never sent: each request introduces its client itself. */
export const nobody = {
  params: { protocolVersion: modernVersions[0], capabilities: {}, clientInfo: { name: 'switchboard', version: '1' } },
  isShared: true,
} as const;

/** How the gateway introduces itself in a request of its own. */
export const ownMeta = {
  [metaKeys.protocolVersion]: modernVersions[0],
  [metaKeys.clientCapabilities]: {},
  [metaKeys.clientInfo]: nobody.params.clientInfo,
};

/** @returns `undefined` if the server does not speak the modern era @throws {BackendFailure} */
export async function discover(
  backend: McpBackend,
  target: McpTarget,
  id: string,
  options: RequestOptions,
): Promise<Discovery | undefined> {
  const request: RpcRequest = { jsonrpc: '2.0', id, method: 'server/discover', params: { _meta: ownMeta } };
  const answer = await ask(backend, target.name, request, options);
  if ('error' in answer) return discoveryOf(Refused.safeParse(answer.error).data?.data.supported);
  const found = Discovered.safeParse(answer.result).data;
  if (!found) return undefined;
  const { supportedVersions, capabilities, instructions, _meta } = found;
  const serverInfo = _meta?.[metaKeys.serverInfo] ?? { name: target.name, version: '' };
  return discoveryOf(supportedVersions, {
    capabilities,
    serverInfo,
    ...(instructions !== undefined && { instructions }),
  });
}

function discoveryOf(listed: readonly string[] | undefined, about?: Discovery['about']): Discovery | undefined {
  return listed?.some(isModern) ? { versions: listed.filter(isKnown), about } : undefined;
}

/** Errors with which servers that only speak the modern era may answer `initialize`, which they do not know. */
const unknownCodes: ReadonlySet<number> = new Set([
  mcpErrors.unsupportedVersion,
  mcpErrors.headerMismatch,
  mcpErrors.methodNotFound,
  mcpErrors.invalidRequest,
  mcpErrors.invalidParams,
]);

/** Whether a failed handshake could mean that the server only speaks the modern era. */
export function mayBeModern(thrown: unknown): boolean {
  if (thrown instanceof HandshakeRefused) return 'error' in thrown.answer && unknownCodes.has(thrown.answer.error.code);
  return thrown instanceof BackendFailure && (thrown.status === 400 || thrown.status === 404);
}

export const isModern = (version: string): boolean => modernVersions.some((it) => it === version);
const isKnown = (version: string): boolean => isModern(version) || legacyVersions.some((it) => it === version);
