import { isRecord } from '../../../platform/isRecord.ts';
import { mcpErrors, type RpcRequest, type RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { replyOf } from '../../backends/mcp/replies.ts';
import type { StreamEvent } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { twinAmong, twinWords } from '../../wire/shape.ts';
import { mapAnswer, namespacedReply } from '../aggregation/aggregation.ts';
import { type Addressed, splitName } from '../aggregation/names.ts';
import { RpcRefusal, refusedTool } from '../answers.ts';
import { type GuardedCall, type GuardRefusal, nameOf, type PreVerdict } from '../mcpDeps.ts';
import { idPlace, type McpRequest, send } from '../mcpRequest.ts';
import type { McpState } from '../session/mcpState.ts';
import { openState, sealState } from './requestState.ts';
import { allowedParamsOf, callableTool, offendingParams } from './toolRules.ts';
import { wholeOf } from './wholeReply.ts';

/** `tools/call`: judged on the body, sent on, and its answer passed as it comes. */
export async function callTool(mcp: McpRequest, state: McpState): Promise<Reply> {
  const { request, deps } = mcp;
  const name = request.params?.['name'];
  const args = request.params?.['arguments'] ?? {};
  if (typeof name !== 'string') throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: name is missing');
  if (!isRecord(args)) throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: arguments must be an object');
  const addressed = addressTool(mcp, name);
  // A tool that is hidden and one that is nowhere must look the same.
  if (!addressed?.server.allows(addressed.name)) return replyOf(unavailable(mcp));
  const { server } = addressed.server;
  const tool = callableTool(server, addressed.name);
  if (!tool) return replyOf(unavailable(mcp));
  mcp.record.note(tool.noted);
  const forbidden = forbiddenArguments(mcp, addressed, args);
  if (forbidden !== undefined) return refuse(mcp, forbidden);

  const call: GuardedCall = {
    context: mcp.context,
    server,
    tool: addressed.name,
    arguments: args,
    of: mcp,
  };
  const judging = deps.preMcpCall(call);
  const verdict = judging instanceof Promise ? await judging : judging;
  if (verdict.refusal) return refuseGuarded(mcp, verdict.refusal);
  // A guardrail that replaces arguments is bound by the registration as its caller is.
  const replaced = verdict.arguments && forbiddenArguments(mcp, addressed, verdict.arguments);
  if (replaced !== undefined) return refuse(mcp, replaced);
  const { cost } = tool;
  const asked = deps.admit(mcp.context, { server_id: server.server_id, cost });
  const admission = asked instanceof Promise ? await asked : asked;
  const settlement = new Settlement(mcp, admission, cost);
  try {
    const holding = deps.beforeSending(call);
    const held = holding && (await holding);
    if (held) {
      settlement.settle(0);
      return refuseGuarded(mcp, held);
    }
    const outgoing = openState(mcp, server.server_id, outgoingRequest(mcp, addressed.name, verdict));
    const judged = verdict.arguments ? { ...call, arguments: verdict.arguments } : call;
    mcp.record.content?.request(JSON.stringify({ name, arguments: judged.arguments }));
    const beside = deps.duringMcpCall(judged, mcp.signal);
    beside?.catch(() => undefined); // awaited below, together with the answer
    const answer = await send(mcp, addressed.server, {
      request: outgoing,
      tool: addressed.name,
      ...(verdict.headers && { headers: verdict.headers }),
    });
    const passing = passedOn(mcp, state, addressed, outgoing, answer, { beside, after: deps.postMcpCall(judged) });
    const reply = passing instanceof Promise ? await passing : passing;
    if (reply.kind === 'stream') return { kind: 'stream', events: settled(reply.events, settlement) };
    settlement.answered(reply.message);
    return reply;
  } catch (thrown) {
    settlement.settle(0);
    throw thrown;
  }
}

/** Why a tool may not be given these arguments (`gateway.access.params`), for the caller. */
function forbiddenArguments(
  { request, deps }: McpRequest,
  { server: { server }, name: bare }: Addressed,
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  const name = String(request.params?.['name']);
  const { separator } = deps.options;
  const offending = offendingParams(server, bare, args, separator);
  if (offending.length > 0) return `The tool '${name}' does not allow these arguments: ${offending.join(', ')}.`;
  const twin = allowedParamsOf(server, bare, separator) && twinAmong(Object.keys(args));
  return twin && `The tool '${name}' cannot be called: ${twinWords(twin)}.`;
}

/** The reservation for a call until the call ends. Only the first settlement counts. */
class Settlement {
  readonly #mcp: McpRequest;
  readonly #admission: { settle(spend: number): void };
  readonly #cost: number;
  #isSettled = false;

  constructor(mcp: McpRequest, admission: { settle(spend: number): void }, cost: number) {
    this.#mcp = mcp;
    this.#admission = admission;
    this.#cost = cost;
  }

  settle(spend = this.#cost): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#mcp.outcome.spend = spend;
    this.#admission.settle(spend);
  }

  /** A call that failed costs nothing. */
  answered(answer: RpcResponse): void {
    this.settle('result' in answer && this.#mcp.outcome.failure === undefined ? this.#cost : 0);
  }
}

/** However a stream ends, what was reserved for the call is settled: with its answer, or with nothing. */
async function* settled(events: AsyncIterable<StreamEvent>, settlement: Settlement): AsyncGenerator<StreamEvent> {
  let isEmpty = true;
  try {
    for await (const event of events) {
      isEmpty = false;
      if (event.message?.kind === 'response') settlement.answered(event.message.message);
      yield event;
    }
    if (isEmpty) return;
    settlement.settle(); // the server lets its caller resume: the answer comes on another stream
  } finally {
    settlement.settle(0);
  }
}

/** Which server and which of its tools a name means here; `undefined` where it means none. */
export function addressTool({ scope, deps }: Pick<McpRequest, 'scope' | 'deps'>, name: string): Addressed | undefined {
  const [only] = scope.servers;
  if (scope.kind === 'single') return only && { server: only, name };
  return splitName(scope.servers, deps.options.separator, name);
}

interface Judges {
  /** What runs beside the call. */
  readonly beside: Promise<GuardRefusal | undefined> | undefined;
  /** What looks at its result. */
  readonly after: ReturnType<McpRequest['deps']['postMcpCall']>;
}

/** @returns what the caller gets instead */
async function judgedResult(
  mcp: McpRequest,
  after: NonNullable<Judges['after']>,
  answer: Extract<RpcResponse, { readonly result: unknown }>,
): Promise<RpcResponse | undefined> {
  const { refusal, result } = await after(answer.result);
  if (refusal) return guardedAnswer(mcp, refusal);
  return result && { ...answer, result: { ...result } };
}

/** An answer as the caller gets it; at once where nobody has to be asked about it. */
function passedOn(
  mcp: McpRequest,
  state: McpState,
  addressed: Addressed,
  outgoing: RpcRequest,
  reply: Reply,
  { beside, after }: Judges,
): Reply | Promise<Reply> {
  if (reply.kind === 'message' && !beside && !after && !hasFailed(reply.message))
    return sealed(mcp, addressed, outgoing, reply);
  const { server: visible, name } = addressed;
  const judged = async (answer: RpcResponse): Promise<RpcResponse | undefined> => {
    const refusal = beside && (await beside);
    if (refusal) return guardedAnswer(mcp, refusal);
    const isMissing = hasFailed(answer) && !(await state.toolNames.has(mcp, visible, name));
    if (isMissing) mcp.record.note({ mcp_namespaced_tool_name: nameOf(visible.server) });
    if (isMissing) return unavailable(mcp);
    return after && 'result' in answer ? judgedResult(mcp, after, answer) : undefined;
  };
  return mapAnswer(after ? wholeOf(reply, nameOf(visible.server)) : reply, mcp.request, judged).then((it) =>
    sealed(mcp, addressed, outgoing, it),
  );
}

function sealed(
  mcp: McpRequest,
  { server: { server } }: Addressed,
  outgoing: RpcRequest,
  reply: Reply,
): Reply | Promise<Reply> {
  const sealing = sealState(mcp, server.server_id, outgoing, reply);
  const place = idPlace(mcp, server);
  if (place === undefined) return sealing;
  return sealing instanceof Promise
    ? sealing.then((it) => namespacedReply(place, it))
    : namespacedReply(place, sealing);
}

function outgoingRequest({ request }: McpRequest, name: string, verdict: PreVerdict): RpcRequest {
  if (request.params?.['name'] === name && !verdict.arguments) return request;
  return {
    ...request,
    params: { ...request.params, name, ...(verdict.arguments && { arguments: verdict.arguments }) },
  };
}

/** An error for bad parameters, or a tool's own: what servers answer where they have no such tool. */
function hasFailed(answer: RpcResponse): boolean {
  return 'error' in answer ? answer.error.code === mcpErrors.invalidParams : answer.result['isError'] === true;
}

/** What somebody asked for and did not get is no tool of its own in sums: callers choose such names freely. */
function unavailable(mcp: McpRequest): RpcResponse {
  const name = String(mcp.request.params?.['name']);
  mcp.record.note({ model: 'MCP: tools/call', metadata: { refused_tool: name.slice(0, MAX_REFUSED_NAME) } });
  return refused(mcp, `The tool '${name}' is not available.`);
}
/** Of what a record keeps. */
const MAX_REFUSED_NAME = 256;

const refuse = (mcp: McpRequest, words: string): Reply => replyOf(refused(mcp, words));

function refused(mcp: McpRequest, words: string): RpcResponse {
  mcp.outcome.failure = words;
  mcp.outcome.code = 'forbidden';
  mcp.outcome.isForbidden = true;
  return refusedTool(mcp.request.id, words, mcp.era === 'modern');
}

const refuseGuarded = (mcp: McpRequest, refusal: GuardRefusal): Reply => replyOf(guardedAnswer(mcp, refusal));

function guardedAnswer(mcp: McpRequest, refusal: GuardRefusal) {
  mcp.record.content?.forgetRequest();
  mcp.outcome.failure = `${refusal.guardrail_name}: ${refusal.message}`;
  mcp.outcome.code = refusal.error;
  mcp.outcome.refusal = refusal;
  return refusedTool(mcp.request.id, refusal.message, mcp.era === 'modern');
}
