import { createServer, request } from 'node:http';
import { endListener, listenOnLoopback } from '../mcp/loopback.ts';

export interface AddingForwarder {
  readonly origin: string;
  /** Where requests go from now on. */
  target: string;
  close(): Promise<void>;
}

/** Hands requests on byte for byte, `Host` and `Origin` included, with one header more: for clients that can send none. */
export async function addingForwarder(header: readonly [name: string, value: string]): Promise<AddingForwarder> {
  const state = { target: '' };
  const listener = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(state.target);
    const passed = request(
      {
        hostname,
        port,
        method: incoming.method,
        path: incoming.url,
        headers: [...incoming.rawHeaders, ...header],
        setHost: false,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  const origin = await listenOnLoopback(listener);
  return {
    origin,
    get target() {
      return state.target;
    },
    set target(value) {
      state.target = value;
    },
    close: () => endListener(listener),
  };
}
