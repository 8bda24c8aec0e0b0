import { Fault } from '../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import { isRecord } from '../../platform/isRecord.ts';
import { type A2aMethod, type A2aRequest, a2aErrors, isProtobufMethod } from '../../protocol/gateway/a2aWire.ts';
import type { OpenGatewayParams } from '../../protocol/gateway/agent.ts';
import type { CallContext } from '../auth/caller.ts';
import { lookupAll } from '../backends/net/guard.ts';
import type { A2aDeps, FoundAgent } from './a2aDeps.ts';
import type { Account } from './account.ts';
import type { Binding } from './bindings.ts';
import type { Endpoints } from './endpoints.ts';
import { type Judged, judge, readMessage } from './message.ts';
import type { Owners } from './owners.ts';
import { forbidden, invalidParams, noSuchAgent, Refusal } from './refusal.ts';
import { relay } from './relay.ts';
import { rpcBinding } from './rpc.ts';
import type { SessionCounters } from './sessions.ts';
import { costOf, Tally } from './tally.ts';
import { refusedWebhook } from './webhooks.ts';

/** What both kinds of address are served with. */
export interface Serving {
  readonly deps: A2aDeps;
  readonly sessions: SessionCounters;
  readonly owners: Owners;
  readonly endpoints: Endpoints;
  readonly context: CallContext;
  /** UUID or name, as the caller wrote it. */
  readonly agent: string;
  readonly account: Account;
}

/** A call that may be sent. */
export interface Call extends Serving, Judged {
  readonly binding: Binding;
  readonly found: FoundAgent & { readonly url: string };
  readonly tally: Tally;
}

/** Serves one JSON-RPC request. @throws {Refusal | Fault} */
export async function serveCall(serving: Serving, request: HttpRequest): Promise<HttpResponse> {
  const { type, request: message } = await readMessage(request, serving.deps.options.maxBodyBytes);
  const found = await findAgent(serving, message.id);
  return callAgent(serving, found, judge(message), rpcBinding(type, !isProtobufMethod(message.method)));
}

/** The agent of a call, if the caller can use it. @param id of the request @throws {Refusal | Fault} */
export async function findAgent(serving: Serving, id?: unknown): Promise<FoundAgent> {
  const { deps, context, agent } = serving;
  const found = await deps.agent(context, agent);
  if (!found) throw noSuchAgent(id);
  noteAgent(serving, found);
  if (!found.allowed) throw forbidden(agent);
  checkTrace(deps, context, found);
  return found;
}

/** Calls an agent with a request over either binding. @throws {Refusal | Fault} */
export async function callAgent(
  serving: Serving,
  found: FoundAgent,
  read: Judged,
  binding: Binding,
): Promise<HttpResponse> {
  const { deps, context, account, owners } = serving;
  const { method, request } = read;
  if (!read.probe) account.note({ call_type: callType(method, request.method) });
  const { url } = found;
  if (url === undefined) throw new Refusal(a2aErrors.noAgent, 'This A2A agent has no URL.', request.id);
  const conversant = { context, agentId: found.agent.agent_id };
  const judged = await owners.check(conversant, await checkWebhooks(deps, read, binding));
  const tally = new Tally(judged.request.params);
  const call: Call = { ...serving, ...judged, binding, found: { ...found, url }, tally };
  await admit(call);
  const { params } = judged.request;
  account.content?.request(JSON.stringify({ method: request.method, ...(params !== undefined && { params }) }));
  return relay(call);
}

export function noteAgent({ account, context }: Serving, { agent, url }: FoundAgent): void {
  const { custom_llm_provider: provider } = agent.gateway_params ?? {};
  const session = sessionOf(context);
  const at = url === undefined ? null : URL.parse(url);
  account.note({
    model: `a2a_agent/${agent.agent_name}`,
    agent_id: agent.agent_id,
    ...(at && { api_base: `${at.origin}${at.pathname}` }),
    ...(provider && { custom_llm_provider: provider }),
    ...(session !== undefined && { session_id: session }),
  });
}

const sessionOf = ({ caller }: CallContext) => caller.sessionId ?? caller.traceId;

/** The call type of the record in the spend log. */
function callType({ isMessage, streams }: A2aMethod, name: string): string {
  if (!isMessage) return `a2a:${name}`;
  return streams ? 'asend_message_streaming' : 'asend_message';
}

/** Spec, Trace identity: an agent may ask for a trace id on calls to it, and on calls by keys that it owns. */
function checkTrace(deps: A2aDeps, context: CallContext, { agent }: FoundAgent): void {
  if (context.caller.traceId !== undefined) return;
  if (agent.gateway_params?.require_trace_id_on_calls_to_agent === true) {
    throw traceMissing('Calls to this agent');
  }
  if (deps.callingAgentRequiresTrace(context)) {
    throw traceMissing("Calls that use an agent's key");
  }
}

const traceMissing = (what: string) =>
  new Fault('invalid_params', `${what} require the x-gateway-trace-id header.`, {
    data: { field: 'x-gateway-trace-id' },
  });

/**
 * Returns a request unchanged if its webhook may be called. Otherwise, a request that only sets a webhook becomes a probe
 * without it, so that an agent without push notifications can say so.
 * @throws {Refusal} for a message with a webhook that may not be called
 */
async function checkWebhooks(deps: A2aDeps, judged: Judged, { isLegacy }: Binding): Promise<Judged> {
  const { method, request } = judged;
  const { params, id } = request;
  if (method.webhooks === undefined || !isRecord(params)) return judged;
  const holder = method.webhooks === 'params' ? params : params['configuration'];
  const refused = await refusedWebhook(holder, deps.lookup ?? lookupAll);
  if (refused === undefined) return judged;
  const instead = invalidParams(refused, id);
  if (method.isMessage) throw instead;
  const probe = { instead, says: (code: number) => saysNoWebhooks.has(code) };
  return { method, request: { ...request, params: { taskId: nobodys, ...webhookOf(isLegacy) } }, probe };
}

/** The ID of a task that does not exist, so that an agent with push notifications does not store the webhook. */
const nobodys = 'webhook.invalid';

/** A webhook that cannot be reached (RFC 6761), in the style of a version. */
const webhookOf = (isLegacy: boolean) =>
  isLegacy ? { pushNotificationConfig: { id: nobodys, url: nowhere } } : { url: nowhere };
const nowhere = 'https://webhook.invalid/';
const saysNoWebhooks: ReadonlySet<number> = new Set([
  a2aErrors.methodNotFound,
  a2aErrors.pushUnsupported,
  a2aErrors.unsupported,
]);

/** Reserves what the call is known to cost, of the caller and of the session. @throws {Refusal | Fault} */
async function admit({ deps, sessions, context, account, method, found, request, tally }: Call): Promise<void> {
  const { agent_id, gateway_params } = found.agent;
  const params = gateway_params ?? {};
  const cost = method.isMessage ? costOf(params, tally.usage) : 0;
  if (method.isMessage) account.price(params, tally);
  const admission = await deps.admit(context, { agent_id, cost });
  account.reserved((spend, tokens) => admission.settle(spend, tokens));
  const session = sessionOf(context) ?? conversationOf(request);
  if (!method.isMessage || session === undefined || !hasCaps(params)) return;
  const key = JSON.stringify([context.caller.key.token, agent_id, session]);
  const entered = sessions.enter(key, params, cost);
  if (typeof entered === 'string') throw new Fault('budget_exceeded', entered);
  account.reserved(entered);
}

const hasCaps = ({ max_iterations, max_budget_per_session }: OpenGatewayParams) =>
  typeof max_iterations === 'number' || typeof max_budget_per_session === 'number';

/** A caller that names no session has the one of its conversation. */
function conversationOf({ params }: A2aRequest): string | undefined {
  const message = isRecord(params) ? params['message'] : undefined;
  const id = isRecord(message) ? message['contextId'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}
