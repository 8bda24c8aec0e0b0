import { median, type Row, RUNS } from '../measure.ts';
import { ADMIN_KEY, startGateway, withKey } from './benchGateway.ts';
import { type Child, startChild } from './child.ts';

const SERVERS = 200;

interface Answer {
  readonly result: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text: string }[];
    readonly nextCursor?: string;
  };
}

/** What a model is shown of many tools, and how long a client waits for it, with tool search and without. */
export async function toolSearch(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  try {
    const whole = await measure(backend, {}, wholeList);
    const short = await measure(backend, { tool_search: { above: 100 } }, wholeList);
    const search = await measure(backend, { tool_search: { above: 100 } }, searched);
    return [
      {
        name: `bytes of a list of ${whole.tools} tools with tool search, against without`,
        value: short.bytes / whole.bytes,
        limit: 0.01,
        unit: 'ratio',
        detail: `${short.bytes} against ${whole.bytes} bytes, ${SERVERS} servers`,
      },
      {
        name: `time of a list of ${whole.tools} tools with tool search, against without`,
        value: short.ms / whole.ms,
        limit: 1,
        unit: 'ratio',
        detail: `${short.ms.toFixed(1)} ms in one page against ${whole.ms.toFixed(1)} ms in all pages`,
      },
      {
        name: `a search among ${whole.tools} tools, after the first`,
        value: search.ms,
        unit: 'ms',
        detail: `the first after ${search.firstMs.toFixed(1)} ms, which lists all servers; ${search.bytes} bytes of ${search.tools} tools`,
      },
    ];
  } finally {
    await backend.close();
  }
}

type Ask = (method: string, params?: object) => Promise<{ readonly json: Answer; readonly bytes: number }>;
interface Figures {
  readonly tools: number;
  readonly bytes: number;
}

async function measure(backend: Child, config: object, run: (ask: Ask) => Promise<Figures>) {
  const mcp_servers = Object.fromEntries(
    Array.from({ length: SERVERS }, (_, n) => [
      `s${n}`,
      { url: `${backend.url}/many/${n}`, allow_private_network: true },
    ]),
  );
  const gateway = await startGateway({ mcp_servers, ...config });
  try {
    const ask: Ask = async (method, params = {}) => {
      const response = await fetch(`${gateway.url}/mcp`, {
        method: 'POST',
        headers: {
          ...withKey(ADMIN_KEY),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${method} was answered with ${response.status}: ${text}`);
      return { json: JSON.parse(text) as Answer, bytes: Buffer.byteLength(text) };
    };
    const took: number[] = [];
    let found: Figures = { tools: 0, bytes: 0 };
    for (let n = 0; n < 2 * RUNS; n += 1) {
      const started = performance.now();
      found = await run(ask);
      took.push(performance.now() - started);
    }
    return { ...found, firstMs: took[0] ?? Number.NaN, ms: median(took.slice(RUNS)) };
  } finally {
    await gateway.close();
  }
}

async function wholeList(ask: Ask): Promise<Figures> {
  let [tools, bytes] = [0, 0];
  let cursor: string | undefined;
  do {
    const page = await ask('tools/list', { ...(cursor !== undefined && { cursor }) });
    tools += page.json.result.tools?.length ?? 0;
    bytes += page.bytes;
    cursor = page.json.result.nextCursor;
  } while (cursor !== undefined);
  return { tools, bytes };
}

async function searched(ask: Ask): Promise<Figures> {
  const query = 'update the ticket of region 117';
  const { json, bytes } = await ask('tools/call', { name: 'search_tools', arguments: { query } });
  const { tools } = JSON.parse(json.result.content?.[0]?.text ?? '{}') as { tools: readonly { name: string }[] };
  if (tools[0]?.name !== 's117__update_ticket') throw new Error(`the search found ${tools[0]?.name}`);
  return { tools: tools.length, bytes };
}
