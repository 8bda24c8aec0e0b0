import { Fault } from '../../platform/faults.ts';
import { type HttpRequest, type HttpResponse, isPacked } from '../../platform/httpMessages.ts';
import type { CallContent } from '../auth/callContent.ts';
import type { CallContext } from '../auth/caller.ts';
import type { StreamSend } from '../backends/streamSend.ts';
import { classify } from './classify.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { targetOf } from './target.ts';

/**
 * What is known when a call begins (`gateway.cloud.classified`). It names no end user (`gateway.cloud.no-end-user`).
 */
export interface CloudFacts {
  /** `<prefix>/<prefix>:agent:create`. */
  readonly model: string;
  readonly call_type: string;
  /** Route template, as `/cloudagents/v0/agents/{id}`. */
  readonly endpoint: string;
  readonly custom_llm_provider: string;
  readonly api_base: string;
  readonly metadata: { readonly method: string };
}
/** How a call ended. */
export interface CloudEnd {
  readonly status: 'success' | 'failure';
  /** The service's; absent where it never answered. */
  readonly httpStatus?: number;
  /** Why it failed, in words and as a code: that of a fault, the service's status, or how it broke. */
  readonly error?: string;
  readonly error_code?: string;
  /** Subscriptions have no price per request. */
  readonly spend: 0;
}
/** The one record of a call: it begins with the call, and ends with the last byte of its answer. */
export interface CloudRecording {
  /** Where request and response are left; absent where they are not stored. */
  readonly content?: CallContent | undefined;
  /** The service has begun to answer. */
  answered(): void;
  finish(end: CloudEnd): void;
}

export interface CloudAgentsDeps {
  readonly send: StreamSend;
  /** Base address of the service. */
  readonly upstreamUrl: string;
  /** The provider's name, which is the prefix of classifications. */
  readonly prefix: string;
  /** Configured deployment, then the registered credential, then the environment; `undefined` where there is none. */
  readonly credential: () => Promise<string | undefined>;
  /** May the caller use the service, and does the call keep its limits? @returns to be called when it is over @throws {Fault} when not */
  readonly admit: () => Promise<() => void>;
  /** Called once a request, when it begins; its recording is finished once. */
  readonly begin: (facts: CloudFacts) => CloudRecording;
  /** Launch requests carry images. Default 32 MB. */
  readonly maxBodyBytes?: number;
}
export interface CloudContext extends Pick<CallContext, 'trace'> {
  readonly requestId: string;
  /** Whether a text holds the key that this call came with. */
  readonly holdsKey: (text: string) => boolean;
  /** Fires when the caller hangs up. */
  readonly signal: AbortSignal;
}

/** Where the pass-through begins. */
const CLOUD_AGENTS = '/cloudagents';
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * Relays one request in the service's own format: only the credential is exchanged. Unknown paths go through, streams are
 * not held back, redirects are handed on and not followed.
 *
 * @param path after the gateway's prefix, as it was on the wire
 * @throws {Fault} `invalid_params` (path), `too_large`, `forbidden`, `budget_exceeded`, `rate_limited`, `auth_required` without a credential, `unavailable` where the service does
 *   not answer; each is recorded first
 */
export async function relayCloudAgents(
  deps: CloudAgentsDeps,
  request: HttpRequest,
  path: string,
  context: CloudContext,
): Promise<HttpResponse> {
  const { search } = new URL(request.url);
  const operation = classify(deps.prefix, request.method, path);
  const recording = deps.begin({
    model: `${deps.prefix}/${operation.name}`,
    call_type: operation.name,
    endpoint: `${CLOUD_AGENTS}${operation.template}`,
    custom_llm_provider: deps.prefix,
    api_base: new URL(deps.upstreamUrl).origin,
    metadata: { method: request.method },
  });
  let isRecorded = false;
  let settle = () => {};
  const finish = (failed: Failed | undefined, httpStatus?: number): void => {
    if (isRecorded) return;
    isRecorded = true;
    settle();
    recording.finish({
      status: failed ? 'failure' : 'success',
      ...failed,
      ...(httpStatus !== undefined && { httpStatus }),
      spend: 0,
    });
  };
  try {
    const url = targetOf(deps.upstreamUrl, path, search);
    settle = await deps.admit();
    const credential = await deps.credential();
    if (credential === undefined) throw noCredential();
    const { content } = recording;
    content?.hide(credential);
    const headers = {
      ...requestHeaders(request.headers, credential, context.holdsKey),
      ...context.trace?.headers(),
    };
    const body = limited(request, deps.maxBodyBytes ?? MAX_BODY_BYTES, content);
    const answer = await deps.send({ method: request.method, url: url.href, headers, body }, context.signal);
    recording.answered();
    const outcome = answer.status < 400 ? undefined : statusFailed(answer.status);
    const onEnd = (end: CloudBreak | 'whole') => finish(end === 'whole' ? outcome : broken[end], answer.status);
    const stream = handedOn(answer.body, onEnd, isPacked(answer) ? undefined : content);
    const init = {
      status: answer.status,
      headers: responseHeaders(answer.headers).map(([name, value]) => [name, value]),
    };
    if (hasNoBody(request.method, answer.status)) {
      finish(outcome, answer.status);
      await stream.cancel();
      return new Response(null, init as ResponseInit);
    }
    return new Response(stream, init as ResponseInit);
  } catch (thrown) {
    const fault = thrown instanceof Fault ? thrown : unreachable(thrown);
    finish(context.signal.aborted ? broken.left : { error: fault.message, error_code: fault.code });
    throw fault;
  }
}

type Failed = Required<Pick<CloudEnd, 'error' | 'error_code'>>;

const statusFailed = (status: number): Failed => ({
  error: `The service returned HTTP ${status}.`,
  error_code: `${status}`,
});

/** How an answer can end before it is whole. */
const broken = {
  ended: { error: "The service's response was interrupted.", error_code: 'ended' },
  left: { error: 'The caller disconnected.', error_code: 'caller_left' },
} as const satisfies Record<string, Failed>;
type CloudBreak = keyof typeof broken;

/** The caller's bytes as they come; more than the limit ends the request with the field's name. */
function limited(
  request: HttpRequest,
  maxBytes: number,
  content: CallContent | undefined,
): AsyncIterable<Uint8Array> | undefined {
  const { body } = request;
  if (!body) return undefined;
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return (async function* () {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      content?.request(chunk);
      yield chunk;
    }
  })();
}

/** Hands each chunk on when it is asked for, and reports how it ended: whole, or broken by either side. */
function handedOn(
  body: AsyncIterable<Uint8Array>,
  onEnd: (end: 'whole' | CloudBreak) => void,
  content: CallContent | undefined,
): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (!next.done) {
          content?.response(next.value);
          return controller.enqueue(next.value);
        }
        onEnd('whole');
        controller.close();
      } catch (thrown) {
        onEnd('ended');
        controller.error(thrown);
      }
    },
    async cancel() {
      onEnd('left');
      await iterator.return?.();
    },
  });
}

const hasNoBody = (method: string, status: number): boolean =>
  method === 'HEAD' || status === 204 || status === 205 || status === 304;

const noCredential = () =>
  new Fault(
    'auth_required',
    'No credential is registered for the cloud-agents service. Add one under Models + Endpoints, LLM Credentials.',
  );
const unreachable = (cause: unknown) =>
  new Fault('unavailable', 'The cloud-agents service did not respond. Try again, or check its URL.', { cause });
const tooLarge = (maxBytes: number) =>
  new Fault('too_large', `The body is larger than ${maxBytes} bytes.`, { data: { field: 'body', maxBytes } });
