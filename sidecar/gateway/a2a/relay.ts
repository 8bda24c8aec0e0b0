import { Fault } from '../../platform/faults.ts';
import { FlowResponse, type HttpResponse, isPacked } from '../../platform/httpMessages.ts';
import { isRecord } from '../../platform/isRecord.ts';
import type { BackendResponse } from '../backends/net/exchange.ts';
import { readBody } from '../backends/net/readBody.ts';
import type { A2aOptions } from './a2aDeps.ts';
import { agentError } from './account.ts';
import { NoAnswer, NoEndpoint, noResponse } from './answers.ts';
import type { Call } from './call.ts';
import { cardAddress, isCard, rewriteCard } from './card.ts';
import { isReached } from './endpoints.ts';
import { AnswerReader } from './events.ts';
import { fetchCard } from './fetchCard.ts';
import { idsGiven, tasksListed } from './namedIds.ts';
import { answerProbe } from './probe.ts';
import { agentFailed, Refusal } from './refusal.ts';
import { contentType, jsonType, passedBack, sendToAgent, waited } from './send.ts';
import { RelayedStream } from './stream.ts';

/** Sends a call and relays what comes back: JSON as it came, a stream event by event. @throws {Refusal} */
export async function relay(call: Call): Promise<HttpResponse> {
  const { deps, context, found, request, method, binding } = call;
  const { id } = request;
  const controller = new AbortController();
  const abort = () => controller.abort(context.signal.reason);
  const wasAborted = context.signal.aborted;
  if (wasAborted) abort();
  context.signal.addEventListener('abort', abort, { once: true });
  const stopLimit = deps.timers.after(timeoutOf(call), () => controller.abort(new NoAnswer('timeout', 'timed out')));
  try {
    const accept = method.streams ? `text/event-stream, ${binding.accept}` : binding.accept;
    const exchange = async (url: string) => {
      const sending = { ...binding.write(request, url), accept, isLongLived: method.streams };
      const response = await sendToAgent(deps, context, found, sending, controller.signal, call.account.content);
      try {
        checkHead(response);
        if (call.probe) return await answerProbe(call, response, call.probe);
        if (contentType(response) === 'text/event-stream' && !method.isCard) return stream(call, response, controller);
        return await answer(call, response);
      } catch (thrown) {
        response.body.destroy();
        throw thrown;
      }
    };
    const url = await firstUrl(call);
    return await exchange(url).catch(async (thrown: unknown) => {
      const other = thrown instanceof NoEndpoint ? await otherUrl(call) : url;
      if (other === url) throw thrown;
      return exchange(other);
    });
  } catch (thrown) {
    if (thrown instanceof Refusal) throw thrown;
    const { aborted } = context.signal;
    const [error, error_code] = aborted ? callerLeft : reasonOf(controller.signal.reason ?? thrown);
    call.account.close({ status: 'failure', error, error_code, isCharged: aborted && !wasAborted });
    if (!aborted) deps.log.warn({ agent: found.agent.agent_id, thrown }, 'An A2A agent did not respond.');
    throw thrown instanceof Fault && !controller.signal.aborted
      ? agentFailed(id, thrown.message)
      : refusalOf(id, error_code);
  } finally {
    stopLimit();
  }
}

/** The address to try first. Only an agent's card names its address for HTTP+JSON. */
async function firstUrl(call: Call): Promise<string> {
  const { endpoints, found, binding } = call;
  if (binding.name === 'HTTP+JSON' && !endpoints.knows(found, binding.name)) await fetchCard(call, found);
  return endpoints.urlOf(found, binding);
}

/** The address in the agent's card, for an agent that does not take JSON-RPC at its registered address. */
async function otherUrl(call: Call): Promise<string> {
  const { endpoints, found, binding } = call;
  if (!endpoints.knows(found)) await fetchCard(call, found);
  if (binding.name === 'JSONRPC') endpoints.turn(found);
  return endpoints.urlOf(found, binding);
}

function timeoutOf({ deps, found, method }: Call): number {
  const { timeout } = found.agent.gateway_params ?? {};
  return timeout ? timeout * 1000 : method.streams ? deps.options.streamStartMs : deps.options.timeoutMs;
}

const callerLeft = ['the caller disconnected', 'caller_left'] as const;

const reasonOf = (thrown: unknown): readonly [words: string, code: string] =>
  thrown instanceof NoAnswer || thrown instanceof Fault
    ? [thrown.message, thrown.code]
    : ['the agent could not be reached', 'unreachable'];

function refusalOf(id: unknown, code: string): Refusal {
  return code === 'timeout' ? agentFailed(id, 'The A2A agent did not respond in time.') : agentFailed(id);
}

/**
 * Redirects are not followed. An agent that refuses our credentials says nothing of the caller's key.
 * @throws {NoAnswer}
 */
function checkHead(response: BackendResponse): void {
  const { status } = response;
  const isOurs = status === 401 || status === 403 || status === 407;
  if ((status >= 300 && status < 400) || isOurs || isPacked(response)) throw new NoAnswer('status', `HTTP ${status}`);
}

/** @throws {NoAnswer | Fault} where the body is no answer of the protocol */
async function answer(call: Call, response: BackendResponse): Promise<HttpResponse> {
  const { deps, method, account, tally, context, binding } = call;
  const text = await waited(context, readBody(response.body, deps.options.maxResponseBytes));
  const read = binding.readAnswer(text, response.status);
  if (!read) throw noResponse(response.status, binding);
  const isError = read.error !== undefined;
  if (!isError && response.status >= 400) throw new NoAnswer('status', `HTTP ${response.status} with a result`);
  if (!isError) tally.see(read['result']);
  const card = method.isCard && !isError ? read['result'] : undefined;
  if (method.isCard && !isError && !isCard(card)) throw new NoAnswer('garbage', 'an invalid extended card');
  const tasks = method.isList && !isError ? await ownTasks(call, read['result']) : undefined;
  if (!isError && !method.isList) await call.owners.give(conversantOf(call), idsGiven(read['result']));
  const shown = isCard(card) ? ownCard(call, card) : tasks;
  const body = shown ? binding.rewrite(read, shown) : text;
  account.content?.response(body);
  account.close(isError ? agentError(read.error.code, binding.name) : { status: 'success' });
  const headers = { 'cache-control': 'no-cache', ...passedBack(response) };
  if (response.status === 204) return new Response(null, { status: 204, headers });
  return new Response(body, { status: response.status, headers: { 'content-type': jsonType(response), ...headers } });
}

/** An extended card as the caller gets it. */
const ownCard = ({ context, found, binding }: Call, card: Readonly<Record<string, unknown>>) =>
  rewriteCard(card, cardAddress(context.baseUrl, found.agent.agent_id), {
    isReached: (url) => isReached(url, found),
    isProtobuf: binding.name === 'HTTP+JSON',
  });

const conversantOf = ({ context, found }: Call) => ({ context, agentId: found.agent.agent_id });

/** A list without the tasks of others, and without how many there are. @throws {NoAnswer} where it is none */
async function ownTasks(call: Call, result: unknown): Promise<object> {
  const listed = tasksListed(result);
  if (!listed) throw new NoAnswer('garbage', 'an invalid task list');
  const tasks = await call.owners.own(conversantOf(call), listed);
  if (!isRecord(result)) return tasks;
  return { ...result, tasks, ...('totalSize' in result && { totalSize: tasks.length }) };
}

function stream(call: Call, response: BackendResponse, controller: AbortController): HttpResponse {
  const { deps, context, account, request, binding, owners, tally } = call;
  if (response.status >= 400) throw new NoAnswer('status', `HTTP ${response.status} with a stream`);
  const reader = new AnswerReader(call);
  const conversant = conversantOf(call);
  let errorCode: number | undefined;
  const relayed = new RelayedStream({
    source: response.body,
    read: (piece) => reader.read(piece),
    onAnswer({ error, result }) {
      if (error !== undefined) errorCode = error.code;
      tally.see(result);
      return owners.give(conversant, idsGiven(result));
    },
    onWritten: (text) => account.content?.response(text),
    onEnd(how, cause) {
      if (how === 'left' || context.signal.aborted) {
        const [error, error_code] = callerLeft;
        account.close({ status: 'failure', error, error_code, isCharged: true });
        controller.abort(new NoAnswer(error_code, error));
      } else if (how === 'broken') {
        deps.log.warn(
          { agent: call.found.agent.agent_id, thrown: cause },
          'The stream from an A2A agent was interrupted.',
        );
        const [error, error_code] =
          cause instanceof NoAnswer ? reasonOf(cause) : ['the stream was interrupted', 'ended'];
        account.close({ status: 'failure', error, error_code });
      } else account.close(errorCode === undefined ? { status: 'success' } : agentError(errorCode, binding.name));
    },
    brokenEvent: (cause) => binding.lastEvent(agentFailed(request.id, brokenWords(cause, deps.options))),
    keepAliveMs: deps.options.keepAliveMs,
    timers: deps.timers,
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
  return new FlowResponse(relayed, 200, { ...headers, ...passedBack(response) });
}

function brokenWords(cause: unknown, { maxResponseBytes }: A2aOptions): string {
  const code = cause instanceof NoAnswer ? cause.code : undefined;
  if (code === 'garbage')
    return 'The stream from the A2A agent contained an event that is not a valid protocol response.';
  if (code === 'too_large')
    return `The stream from the A2A agent contained an event larger than ${maxResponseBytes} bytes.`;
  return 'The stream from the A2A agent was interrupted.';
}
