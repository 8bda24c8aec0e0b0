/** An MCP server with one tool, `echo`. @returns the answer, `undefined` for what needs none */
export function answerMcp({ id, method }: { readonly id?: unknown; readonly method: string }): string | undefined {
  if (id === undefined) return undefined;
  const result = results[method];
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
