import type * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { HttpRequest } from '../../../platform/httpMessages.ts';
import { readBody } from '../../../platform/requestBody.ts';
import type { RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { BackendFailure } from '../../backends/mcp/failure.ts';
import type { RouteCall } from '../../routing/route.ts';
import { readShape, type Shape, shapeOf, twinWords } from '../../wire/shape.ts';
import { ambiguityWords, readStrict } from '../../wire/strictJson.ts';
import type { Scope } from '../aggregation/scope.ts';
import { RpcRefusal } from '../answers.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { type FrontDeps, mcpRequestOf } from '../requestContext.ts';
import { maxDepth } from './arrival.ts';

/** A request of a REST route as the one MCP request that it stands for. */
export function restRequest(
  { deps }: FrontDeps,
  { request, context, route }: RouteCall,
  scope: Scope,
  message: RpcRequest,
): McpRequest {
  const more = { era: 'legacy', session: undefined, controller: new AbortController() } as const;
  return mcpRequestOf({ deps, context, scope, request, route: { template: route.path } }, message, more);
}

const tooLarge = (maxBytes: number) =>
  new Fault('too_large', `The body is larger than ${maxBytes} bytes.`, { data: { field: 'body', maxBytes } });

/**
 * @param shape names that no other may be mistaken for
 * @throws {Fault} `invalid_params` naming the first member that is wrong, `too_large`
 */
export async function readJson<T>(
  { deps }: FrontDeps,
  request: HttpRequest,
  schema: z.ZodType<T>,
  shape: Shape = shapeOf({}),
): Promise<T> {
  const text = await readBody(request, deps.options.maxBodyBytes);
  if (text === undefined) throw tooLarge(deps.options.maxBodyBytes);
  const read = readStrict(text, { maxDepth });
  if ('refused' in read) {
    const { refused } = read;
    if (refused === 'no JSON') throw new Fault('invalid_params', 'The body is not valid JSON.');
    throw new Fault('invalid_params', `body: ${ambiguityWords(refused)}`);
  }
  const shaped = readShape(read.value, shape);
  if ('twin' in shaped) throw new Fault('invalid_params', `body: ${twinWords(shaped.twin)}`);
  const parsed = schema.safeParse(shaped.value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Fault('invalid_params', `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}`, {
    data: parsed.error.issues,
  });
}

/** What a person may read of something that went wrong with a server. */
export function wordsFor(thrown: unknown): string | undefined {
  return thrown instanceof BackendFailure || thrown instanceof RpcRefusal || thrown instanceof Fault
    ? thrown.message
    : undefined;
}
