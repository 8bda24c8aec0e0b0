import * as z from 'zod';
import { firstIssue } from '../../../protocol/building.ts';
import { McpServerCreate } from '../../../protocol/gateway/mcpServer.ts';
import { exitCodes, LaunchFailure } from '../../failure.ts';
import type { CommandContext, CommandRun } from '../command.ts';
import { readSecretFile } from '../files.ts';
import type { AskedCommand } from '../readCommand.ts';
import { manage } from './manage.ts';

const Added = z.object({ server_id: z.string() });

/** `gateway server add NAME`: registers an MCP server in a running gateway. */
export const serverAdd: CommandRun = async (asked, context) => {
  const body = await bodyOf(asked, context);
  const { server_id } = await manage(asked, context, { path: '/v1/mcp/server', body, answer: Added });
  return { text: `Added the server "${asked.argument}".\n`, data: { server_id, alias: asked.argument } };
};

/** @throws {LaunchFailure} `usage` */
async function bodyOf(asked: AskedCommand, context: CommandContext): Promise<object> {
  const [url, command, credential] = (['address', 'command', 'credential-file'] as const).map((it) => asked.one(it));
  if ((url === undefined) === (command === undefined))
    throw usage('Either --address or --command is required: the URL of the server, or the program that runs it.');
  if (credential !== undefined && command !== undefined)
    throw usage('--credential-file is for servers over HTTP. A stdio server gets its secrets from the configuration.');
  const authType = asked.one('auth-type') ?? (credential === undefined ? undefined : 'bearer_token');
  const read = McpServerCreate.safeParse({
    server_id: asked.argument,
    alias: asked.argument,
    transport: asked.one('transport') ?? (command === undefined ? 'http' : 'stdio'),
    ...(url !== undefined && { url }),
    ...(command !== undefined && { command, args: [...asked.all('arg')] }),
    ...(authType !== undefined && { auth_type: authType }),
    ...(credential !== undefined && { credentials: { auth_value: await readSecretFile(credential, context) } }),
    ...(asked.has('allow-private-network') && { allow_private_network: true }),
  });
  if (read.success) return read.data;
  throw usage(`The server cannot be added: ${firstIssue(read.error)}.`);
}

const usage = (sentence: string) => new LaunchFailure(exitCodes.usage, sentence);
