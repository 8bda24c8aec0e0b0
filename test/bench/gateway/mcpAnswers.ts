/** An MCP server with one tool, `echo`, unless it has others. @returns the answer, `undefined` for what needs none */
export function answerMcp(
  { id, method }: { readonly id?: unknown; readonly method: string },
  tools?: readonly object[],
): string | undefined {
  if (id === undefined) return undefined;
  const result = tools && method === 'tools/list' ? { tools } : results[method];
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }),
  });
}

/** What every answer of the tool holds: whoever measures looks for it. */
export const SAID = 'said again';

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'bench', version: '1' },
  },
  ping: {},
  'tools/list': {
    tools: [
      {
        name: 'echo',
        description: 'Says something.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      },
    ],
  },
  'tools/call': { content: [{ type: 'text', text: SAID }] },
};

const verbs = ['create', 'read', 'list', 'update', 'delete'];
const things = ['invoice', 'customer', 'ticket', 'report'];

/** The tools of a server, as large as those of servers for other services are mostly. @param server its number */
export const toolsOf = (server: number): readonly object[] =>
  things.flatMap((thing) =>
    verbs.map((verb) => ({
      name: `${verb}_${thing}`,
      title: `${verb} ${thing}`,
      description: `Use this tool to ${verb} a ${thing} of region ${server}. Returns the ${thing} with its state, its owner, and the time of its last change.`,
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string', description: `The ID of the ${thing}.` },
          fields: { type: 'array', items: { type: 'string' }, description: 'The fields that are returned.' },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many are returned at most.' },
        },
        required: ['id'],
      },
    })),
  );
