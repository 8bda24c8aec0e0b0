import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { type CutForwarder, cutForwarder } from '../gateway/cutForwarder.ts';

/** A real client whose connections a test can cut, to one address or to several in turn, as behind a load balancer. */
export interface CutTransport {
  readonly transport: StreamableHTTPClientTransport;
  /** Breaks all its connections, and refuses new ones until {@link restore}. */
  cut(): void;
  restore(): void;
  /** Requests that were sent to each address. */
  readonly sent: readonly number[];
  close(): Promise<void>;
}

/**
 * @param bases of replicas of one gateway
 * @param pick where a message goes, by its place; absent: each request goes to the next
 */
export async function cutTransport(
  bases: readonly string[],
  path: string,
  headers: Readonly<Record<string, string>> = {},
  pick?: (init: RequestInit | undefined) => number,
): Promise<CutTransport> {
  const connector = buildConnector({});
  const ways = await Promise.all(
    bases.map(async (base) => {
      const forwarder = await cutForwarder(Number(new URL(base).port));
      const connect: typeof connector = (options, callback) =>
        connector({ ...options, port: String(forwarder.port) }, callback);
      return { base, forwarder, agent: new Agent({ connect }) };
    }),
  );
  const each = (act: (forwarder: CutForwarder) => void) => {
    for (const { forwarder } of ways) act(forwarder);
  };
  const sent = bases.map(() => 0);
  let turn = 0;
  const send: typeof fetch = (_url, init) => {
    const at = pick ? pick(init) : turn % ways.length;
    turn += 1;
    sent[at] = (sent[at] ?? 0) + 1;
    const way = ways[at]!;
    const more = { ...init, dispatcher: way.agent } as Parameters<typeof undiciFetch>[1];
    return undiciFetch(`${way.base}${path}`, more) as unknown as Promise<Response>;
  };
  const transport = new StreamableHTTPClientTransport(new URL(`${bases[0]}${path}`), {
    fetch: send,
    requestInit: { headers },
    reconnectionOptions: {
      initialReconnectionDelay: 20,
      maxReconnectionDelay: 20,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 1_000,
    },
  });
  return {
    transport,
    cut: () => each((it) => it.cut()),
    restore: () => each((it) => it.restore()),
    sent,
    async close() {
      await Promise.allSettled(ways.flatMap(({ forwarder, agent }) => [forwarder.close(), agent.destroy()]));
    },
  };
}

/** What a client waits for: the text of a tool's result. @param onresumptiontoken is given the id of each event that comes */
export const callText = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  onresumptiontoken: (token: string) => void = () => undefined,
): Promise<string> => {
  const { content } = await client.callTool({ name, arguments: args }, { onresumptiontoken });
  return (content as { readonly text?: string }[] | undefined)?.[0]?.text ?? '';
};
