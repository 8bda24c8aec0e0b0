import type { HttpRequest, HttpResponse, Outbound } from '../../../sidecar/gateway/backends/mcp/types.ts';

/** What a scripted server answers; nothing where it never does. */
export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Texts of the body as they come; an error breaks it off there, and `hangs` keeps it open. */
  readonly body?: readonly (string | Error)[] | AsyncIterable<string>;
  readonly hangs?: boolean;
}

export interface ScriptedSend {
  readonly outbound: Outbound;
  readonly sent: HttpRequest[];
  /** The messages that were sent, parsed. */
  messages(): readonly Record<string, unknown>[];
  /** Bodies that were neither read to their end nor let go. */
  open(): number;
}

/** A server behind a way out: answers each request as a test says, and keeps what it received. */
export function scriptedSend(
  answer: (request: HttpRequest) => Scripted | Error | undefined | Promise<Scripted | Error | undefined>,
  identity = 'me',
): ScriptedSend {
  const sent: HttpRequest[] = [];
  let open = 0;

  async function* bodyOf({ body = [], hangs }: Scripted, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    open += 1;
    try {
      if (Symbol.asyncIterator in body) yield* written(body, signal);
      else
        for (const it of body) {
          if (it instanceof Error) throw it;
          yield new TextEncoder().encode(it);
        }
      if (hangs) await never(signal);
    } finally {
      open -= 1;
    }
  }
  return {
    sent,
    messages: () => sent.filter((it) => it.body !== undefined).map((it) => JSON.parse(it.body ?? '')),
    open: () => open,
    outbound: {
      identity,
      async send(request, signal): Promise<HttpResponse> {
        sent.push(request);
        request.onSent?.();
        const scripted = await answer(request);
        if (scripted instanceof Error) throw scripted;
        if (!scripted) return never(signal);
        const body = bodyOf(scripted, signal);
        open += 1; // a body is open before its first byte is read
        const read = () => {
          open -= 1;
          return body;
        };
        return {
          status: scripted.status ?? 200,
          headers: scripted.headers ?? {},
          body: { [Symbol.asyncIterator]: read },
        };
      },
    },
  };
}

/** What is still to come is not waited for any more once the request is aborted. */
async function* written(texts: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = texts[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), never(signal)]);
    if (next.done) return;
    yield new TextEncoder().encode(next.value);
  }
}

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

export const json = (value: unknown, more: Scripted = {}): Scripted => ({
  ...more,
  headers: { 'content-type': 'application/json', ...more.headers },
  body: [typeof value === 'string' ? value : JSON.stringify(value)],
});

/** Events of one message each; a text stands as it is. */
export const events = (messages: readonly (object | string | Error)[], more: Scripted = {}): Scripted => ({
  ...more,
  headers: { 'content-type': 'text/event-stream', ...more.headers },
  body: messages.map((it) =>
    typeof it === 'string' || it instanceof Error ? it : `data: ${JSON.stringify({ jsonrpc: '2.0', ...it })}\n\n`,
  ),
});

/** An MCP server that shakes hands, and does with every other request what `then` says. */
export const afterHandshake =
  (
    then: (
      message: { readonly id?: unknown; readonly method?: string },
      request: HttpRequest,
    ) => ReturnType<Parameters<typeof scriptedSend>[0]>,
  ) =>
  (request: HttpRequest) => {
    const message = JSON.parse(request.body ?? '{}') as { readonly id?: unknown; readonly method?: string };
    const result = { protocolVersion: '2025-11-25', capabilities: {} };
    if (message.method === 'initialize')
      return json({ jsonrpc: '2.0', id: message.id, result }, { headers: { 'mcp-session-id': 'theirs' } });
    if (request.method === 'DELETE' || message.method?.startsWith('notifications/')) return { status: 202 };
    return then(message, request);
  };
