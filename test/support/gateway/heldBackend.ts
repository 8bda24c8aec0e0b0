import { request as ask, createServer, type Server } from 'node:http';
import { endListener, listenOnLoopback } from '../mcp/loopback.ts';

/** In front of a real MCP server: keeps tool calls back until they are let go, and passes everything else. */
export interface HeldBackend {
  readonly url: string;
  /** Tool calls that wait. */
  readonly held: number;
  letGo(): void;
  close(): Promise<void>;
}

export async function holdCalls(upstream: string): Promise<HeldBackend> {
  const waiting: (() => void)[] = [];
  const { origin, host } = new URL(upstream);
  const server: Server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (it: Buffer) => chunks.push(it));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const pass = () => {
        const { method, headers, url = '/' } = incoming;
        const next = ask(`${origin}${url}`, { method, headers: { ...headers, host } }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        });
        next.on('error', () => outgoing.destroy());
        next.end(body);
      };
      if (body.includes('"tools/call"')) waiting.push(pass);
      else pass();
    });
  });
  const url = `${await listenOnLoopback(server)}${new URL(upstream).pathname}`;
  return {
    url,
    get held() {
      return waiting.length;
    },
    letGo() {
      for (const pass of waiting.splice(0)) pass();
    },
    close: () => endListener(server),
  };
}
