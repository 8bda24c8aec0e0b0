import { Client, type StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type SignIn, ways } from './ways.ts';

/**
 * A client as the suite judges them: `client.child.ts direct|through URL`. It calls each tool that the server has, and
 * signs in, with a browser that only follows, each time it is asked to.
 */
const [way = '', url = ''] = process.argv.slice(2);
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, string | undefined>;
const open = ways[way];
if (!open) throw new Error(`unknown way: ${way}`);
/** The document that the suite takes for a client's own. */
const document = 'https://conformance-test.local/client-metadata.json';
const isGuarded = scenario.startsWith('auth/');
const isMachine = scenario.startsWith('auth/client-credentials');
const road = await open({ url, isGuarded, given, isMachine, ...(scenario === 'auth/basic-cimd' && { document }) });

const examples: Readonly<Record<string, Record<string, unknown>>> = { add_numbers: { a: 5, b: 3 } };
/** How often a person would go along with it. */
const maxSignIns = 3;
let signIns = 0;

async function signingIn<T>(act: () => Promise<T>, signIn: SignIn): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (signIns === maxSignIns || !(await signIn(thrown))) throw thrown;
    signIns += 1;
    return signingIn(act, signIn);
  }
}

function newClient(): Client {
  const client = new Client(
    { name: 'conformance', version: '1' },
    { capabilities: { elicitation: { form: { applyDefaults: true } } } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  return client;
}

async function visit(): Promise<void> {
  const client = newClient();
  const transport: StreamableHTTPClientTransport = road.transport();
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    for (const { name } of tools) await client.callTool({ name, arguments: examples[name] ?? {} });
  } finally {
    await client.close();
  }
}

try {
  await signingIn(visit, road.signIn);
} finally {
  await road.close();
}
