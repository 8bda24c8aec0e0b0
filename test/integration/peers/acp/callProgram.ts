import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** Calls a tool of a server that runs as a program, with the real client. Answers what the tool said, or what went wrong. */
export async function callProgram(
  { command, args, env }: { command: string; args: string[]; env: readonly { name: string; value: string }[] },
  name: string,
  input: Record<string, unknown>,
): Promise<string> {
  const own = Object.fromEntries(env.map((it) => [it.name, it.value]));
  const client = new Client({ name: 'fake', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, env: own }));
  try {
    const { content, isError } = await client.callTool({ name, arguments: input });
    return `${isError ? 'failed: ' : ''}${JSON.stringify(content)}`;
  } finally {
    await client.close();
  }
}
