import * as z from 'zod';
import type { Secrets } from './secrets.ts';

/** Kinds under which a person's own values for a server are sealed: id of the server, name of the person. */
export const userSealed = { credential: 'mcp_user_credential', variables: 'mcp_user_variables' } as const;

const Values = z.record(z.string(), z.string());

/** A person's own values of `env_vars` with scope `user`, by name. */
export async function readUserVariables(secrets: Secrets, serverId: string, person: string) {
  const text = await secrets.get(userSealed.variables, serverId, person);
  return text === undefined ? {} : Values.parse(JSON.parse(text));
}

export async function writeUserVariables(
  secrets: Secrets,
  serverId: string,
  person: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(values).length === 0) await secrets.remove(userSealed.variables, serverId, person);
  else await secrets.put(userSealed.variables, serverId, person, JSON.stringify(values));
}
