import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { McpServerCreate } from '../../../protocol/gateway/mcpServer.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField, parse } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { tag } from './crud.ts';
import { addServer } from './save.ts';

const Texts = z.record(z.string(), z.string());
/** A server as editors write it down; what a gateway has no use for is left out. */
const EditorServer = z.object({
  name: z.string().optional(),
  type: z.string().optional(),
  url: z.string().optional(),
  authorization_token: z.string().optional(),
  headers: Texts.optional(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: Texts.optional(),
  description: z.string().optional(),
  /** Ours: whoever imports has looked at the address. */
  allow_private_network: z.boolean().optional(),
});
type EditorServer = z.infer<typeof EditorServer>;
const Many = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()).max(1_000)]);

const importServers = route({
  method: 'POST',
  path: '/v1/mcp/server/import',
  who: 'admin',
  tag,
  summary: "Registers the MCP servers from an editor's configuration file",
  body: z.object({ mcp_servers: Many.optional(), mcpServers: Many.optional() }),
  answer: z.object({
    imported: z.array(z.object({ name: z.string(), server_id: z.string(), alias: z.string().nullable() })),
    skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
    errors: z.array(z.object({ name: z.string(), error: z.string() })),
  }),
  async handle(call, deps) {
    const many = call.body.mcp_servers ?? call.body.mcpServers;
    if (!many) throw badField('mcp_servers', 'is required');
    const imported: object[] = [];
    const skipped: object[] = [];
    const errors: object[] = [];
    for (const [name, value] of entriesOf(many)) {
      try {
        if (await isThere(deps, name))
          skipped.push({ name, reason: 'An MCP server with this name is already registered.' });
        else imported.push(await importOne(call, deps, name, value));
      } catch (thrown) {
        // One that cannot be read does not stop the others; a database that is gone stops all.
        if (!(thrown instanceof Fault) || thrown.code === 'unavailable') throw thrown;
        errors.push({ name, error: thrown.message });
      }
    }
    return ok({ imported, skipped, errors });
  },
});

function entriesOf(many: z.infer<typeof Many>): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(many)) return Object.entries(many);
  return many.map((it, at) => {
    const named = z.object({ name: z.string().min(1) }).safeParse(it);
    return [named.success ? named.data.name : `number ${at + 1}`, it] as const;
  });
}

async function isThere({ store }: ManagementDeps, name: string): Promise<boolean> {
  const words = asName(name).toLowerCase();
  return (await store.mcp_server.all()).some((it) =>
    [it.server_id, it.alias, it.server_name].some((own) => own?.toLowerCase() === words),
  );
}

async function importOne(call: Call, deps: ManagementDeps, name: string, value: unknown) {
  const body = parse(McpServerCreate, asServer(asName(name), parse(EditorServer, value)));
  const { server_id, alias = null } = await addServer(call, deps, body);
  return { name, server_id, alias };
}

/** Editors allow more characters than tools' names do. */
const asName = (name: string) =>
  name
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 64);

function asServer(name: string, it: EditorServer): unknown {
  const { command, args = [], env, url, type, headers = {}, authorization_token: token } = it;
  const { description, allow_private_network } = it;
  const fields = { server_name: name, alias: name, ...(description !== undefined && { description }) };
  if (command !== undefined) return { ...fields, transport: 'stdio', command, args, ...(env && { env }) };
  // A credential among headers is kept where credentials are.
  const authorization = Object.keys(headers).find((header) => header.toLowerCase() === 'authorization');
  const { [authorization ?? '']: value, ...others } = headers;
  const auth = token
    ? { auth_type: 'bearer_token', credentials: { auth_value: token } }
    : value
      ? { auth_type: 'authorization', credentials: { auth_value: value } }
      : {};
  const transport = type === 'sse' ? 'sse' : 'http';
  const reach = allow_private_network === undefined ? {} : { allow_private_network };
  const rest = Object.keys(others).length > 0 ? { static_headers: others } : {};
  return { ...fields, transport, url, ...reach, ...auth, ...rest };
}

export const importRoutes: readonly Route[] = [importServers];
