import type { Timers } from '../../../platform/timers.ts';
import { discard, headerOf, readEvents } from './eventStream.ts';
import { BackendFailure, endedEarly, garbled, notRun, timedOut, toFailure } from './failure.ts';
import type { MessagePipe } from './pipe.ts';
import type { McpTarget, Outbound } from './types.ts';

/** The transport of MCP 2024-11-05: one long stream from the server, whose first event names the address for POSTs. */
export function ssePipe(target: McpTarget, outbound: Outbound, timers: Timers): MessagePipe {
  const stream = new AbortController();
  let postUrl: string | undefined;

  return {
    async open(handlers) {
      const url = target.url;
      if (url === undefined) {
        throw new BackendFailure('not_allowed', `The MCP server '${target.name}' has no URL.`, { mayHaveRun: false });
      }
      const stopLimit = timers.after(target.timeoutMs, () => stream.abort(timedOut(target.name, target.timeoutMs)));
      try {
        const request = { method: 'GET', url, headers: { accept: 'text/event-stream' } } as const;
        const response = await outbound.send(request, stream.signal);
        const isEvents = headerOf(response, 'content-type')?.startsWith('text/event-stream') === true;
        if (response.status !== 200 || !isEvents) {
          await discard(response);
          if (response.status === 200) throw garbled(target.name);
          throw refused(target, response.status, headerOf(response, 'www-authenticate'));
        }
        const events = readEvents(response.body, target);
        const first = await events.next();
        if (first.done || first.value.event !== 'endpoint') throw garbled(target.name);
        postUrl = postAddress(url, first.value.data, target);
        void follow(events, handlers);
      } catch (thrown) {
        const reason: unknown = stream.signal.reason;
        stream.abort();
        throw notRun(toFailure(reason instanceof BackendFailure ? reason : thrown, target.name));
      } finally {
        stopLimit();
      }
    },
    async send(text, sender, signal) {
      if (postUrl === undefined) throw endedEarly(target.name);
      const headers = { 'content-type': 'application/json' };
      try {
        const response = await sender.send({ method: 'POST', url: postUrl, headers, body: text }, signal);
        await discard(response);
        // A redirect is no answer either, and nobody follows it.
        if (response.status >= 300) throw refused(target, response.status, headerOf(response, 'www-authenticate'));
      } catch (thrown) {
        throw toFailure(thrown, target.name);
      }
    },
    async close() {
      stream.abort();
      await Promise.resolve();
    },
  };

  async function follow(
    events: AsyncIterable<{ readonly event?: string; readonly data: string }>,
    handlers: Parameters<MessagePipe['open']>[0],
  ): Promise<void> {
    try {
      for await (const { event, data } of events) {
        if (event === undefined || event === 'message') handlers.onMessage(data);
      }
      handlers.onClose(endedEarly(target.name));
    } catch (thrown) {
      handlers.onClose(toFailure(thrown, target.name));
    }
  }
}

/** Only on the server's own origin: a stream must not send our credentials elsewhere. */
function postAddress(url: string, named: string, target: McpTarget): string {
  if (!URL.canParse(named, url)) throw garbled(target.name);
  const address = new URL(named, url);
  if (address.origin !== new URL(url).origin) {
    throw new BackendFailure(
      'not_allowed',
      `The MCP server '${target.name}' specified a message URL on a different origin.`,
      {
        mayHaveRun: false,
      },
    );
  }
  return address.href;
}

const refused = ({ name }: McpTarget, status: number, challenge: string | undefined) =>
  new BackendFailure('status', `The MCP server '${name}' returned HTTP status ${status}.`, {
    mayHaveRun: false,
    status,
    challenge,
  });
