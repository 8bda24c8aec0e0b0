import * as z from 'zod';
import type { McpServerRecord } from '../../protocol/gateway/mcpServer.ts';
import { serverOrigin } from '../wire/serverOrigins.ts';
import { bind, openBound } from './boundSecrets.ts';
import type { Secrets } from './secrets.ts';

/** Kinds under which a person's own values for a server are sealed: id of the server, name of the person. */
export const userSealed = { credential: 'mcp_user_credential', variables: 'mcp_user_variables' } as const;

type Server = Pick<McpServerRecord, 'server_id' | 'url'>;
type Kind = (typeof userSealed)[keyof typeof userSealed];
const Values = z.record(z.string(), z.string());

const read = async (secrets: Secrets, kind: Kind, server: Server, person: string): Promise<unknown> =>
  openBound(serverOrigin(server), await secrets.get(kind, server.server_id, person));
const write = (secrets: Secrets, kind: Kind, server: Server, person: string, value: unknown): Promise<void> =>
  secrets.put(kind, server.server_id, person, bind(serverOrigin(server), value));

/** A person's own credential for a server that asks for one. */
export async function readUserCredential(secrets: Secrets, server: Server, person: string) {
  const value = await read(secrets, userSealed.credential, server, person);
  return value === undefined ? undefined : z.string().parse(value);
}

export const writeUserCredential = (secrets: Secrets, server: Server, person: string, value: string): Promise<void> =>
  write(secrets, userSealed.credential, server, person, value);

/** A person's own values of `env_vars` with scope `user`, by name. */
export async function readUserVariables(secrets: Secrets, server: Server, person: string) {
  return Values.parse((await read(secrets, userSealed.variables, server, person)) ?? {});
}

export async function writeUserVariables(
  secrets: Secrets,
  server: Server,
  person: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(values).length === 0) await secrets.remove(userSealed.variables, server.server_id, person);
  else await write(secrets, userSealed.variables, server, person, values);
}
