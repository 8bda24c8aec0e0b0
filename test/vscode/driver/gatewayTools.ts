import type { EditorWindow } from './window.ts';

/** A `.vscode/mcp.json` as VS Code writes it, with a token that it asks for. */
export const mcpFile = (url: string) => `{
  // for the gateway
  "inputs": [{ "id": "token", "type": "promptString", "description": "The token", "password": true }],
  "servers": {
    "second": { "type": "http", "url": "${url}", "headers": { "Authorization": "Bearer \${input:token}" } },
  },
}
`;

/** The names of the tools that a key gets at an endpoint; the status where it is refused. */
export async function toolsOf(url: string, virtualKey: string): Promise<readonly string[] | number> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-gateway-api-key': `Bearer ${virtualKey}`,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) return response.status;
  const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '');
  const answer = JSON.parse(json) as { result?: { tools: { name: string }[] } };
  return (answer.result?.tools ?? []).map((it) => it.name);
}

/** Whether the editor's language models have a tool of a name that contains this. */
export const hasTool = ({ probe }: EditorWindow, name: string) =>
  probe.run<boolean>('return vscode.lm.tools.some((it) => it.name.includes(arg));', name);

/** Sets a setting in the settings of the person. */
export const setForAll = ({ probe }: EditorWindow, name: string, value: unknown) =>
  probe.run(
    'await vscode.workspace.getConfiguration().update(arg.name, arg.value, vscode.ConfigurationTarget.Global);',
    { name, value },
  );
