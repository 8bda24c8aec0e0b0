import { Fault } from '../../../platform/faults.ts';
import { mcpErrors, type RpcMessage, type RpcRequest, type RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { BackendFailure } from '../../backends/mcp/failure.ts';
import { answerOf } from '../../backends/mcp/replies.ts';
import type { ClientMessage } from '../../wire/mcpMessage.ts';
import { errorMessage, failureMessage } from '../answers.ts';
import { judgeEra } from '../era.ts';
import { serve } from '../methods/serve.ts';
import { mcpRequestOf, type RequestContext } from '../requestContext.ts';
import type { Session } from '../session/sessions.ts';
import { recordRefusal, refusalMessage } from './arrival.ts';

type Deliver = (read: Exclude<RpcMessage, { kind: 'request' }>) => Promise<void>;

/**
 * Several messages in one POST (MCP 2025-03-26). Each is judged and answered for itself, in order, so that a refused
 * one takes nothing away from the others (JSON-RPC 2.0, 6).
 *
 * @throws {Fault} `auth_required`, as for one message: it asks for a sign-in, which is a status of the whole answer
 */
export async function answerBatch(
  whole: RequestContext,
  body: readonly ClientMessage[],
  session: Session | undefined,
  deliver: Deliver,
): Promise<readonly RpcResponse[]> {
  const answers: RpcResponse[] = [];
  for (const [at, read] of body.entries()) {
    const requestContext = partOf(whole, at);
    if (read.kind === 'refused') {
      recordRefusal(requestContext, read);
      answers.push(refusalMessage(read));
      continue;
    }
    const refusal = refusalOf(requestContext, read);
    if (refusal) answers.push(refusal);
    else if (read.kind === 'request') answers.push(await answerOne(requestContext, read.message, session));
    else await deliver(read);
  }
  return answers;
}

/** Each message has a record of its own, so it has an id of its own. */
function partOf(requestContext: RequestContext, at: number): RequestContext {
  const { context } = requestContext;
  return at === 0
    ? requestContext
    : { ...requestContext, context: { ...context, requestId: `${context.requestId}-${at}` } };
}

function refusalOf({ request }: RequestContext, read: RpcMessage): RpcResponse | undefined {
  const era = judgeEra(read, request.headers);
  const id = read.kind === 'request' ? read.message.id : null;
  if (typeof era === 'object') return errorMessage(id, era.code, era.message, era.data);
  const isAlone = era === 'modern' || (read.kind === 'request' && read.message.method === 'initialize');
  return isAlone ? errorMessage(id, mcpErrors.invalidRequest, 'Invalid request: not allowed in a batch') : undefined;
}

async function answerOne(
  requestContext: RequestContext,
  message: RpcRequest,
  session: Session | undefined,
): Promise<RpcResponse> {
  const mcp = mcpRequestOf(requestContext, message, { era: 'legacy', session, controller: new AbortController() });
  try {
    return await answerOf(await serve(mcp, requestContext.state), 'batch');
  } catch (thrown) {
    if (thrown instanceof BackendFailure) return failureMessage(message.id, message.method, thrown, false);
    if (!(thrown instanceof Fault) || thrown.code === 'auth_required') throw thrown;
    return errorMessage(message.id, mcpErrors.internal, thrown.message, { reason: thrown.code });
  }
}
