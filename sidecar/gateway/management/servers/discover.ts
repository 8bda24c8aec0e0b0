import * as z from 'zod';
import type { McpServerRecord } from '../../../protocol/gateway/mcpServer.ts';
import { ok, type Route, route } from '../route.ts';
import { tag, usableServers } from './crud.ts';

const Found = z.object({
  server_id: z.string(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.string().nullable(),
  logo_url: z.string().nullable(),
  /** Whether you may use it already. */
  is_usable: z.boolean(),
});

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function shown({ server_id, alias, server_name, description, mcp_info }: McpServerRecord, usable: ReadonlySet<string>) {
  return {
    server_id,
    name: alias || server_name || server_id,
    title: textOf(mcp_info?.['server_name']) ?? server_name ?? alias ?? server_id,
    description: description ?? textOf(mcp_info?.['description']) ?? '',
    category: textOf(mcp_info?.['category']),
    logo_url: textOf(mcp_info?.['logo_url']),
    is_usable: usable.has(server_id),
  };
}

/** The catalogue that the administrators of this gateway keep: what `POST /v1/mcp/make_public` names, and nothing of how it is reached. */
export const discoverServers: Route = route({
  method: 'GET',
  path: '/v1/mcp/discover',
  who: 'any',
  tag,
  summary: 'Lists public MCP servers, optionally filtered by search terms and category',
  query: z.object({ query: z.string().max(256).optional(), category: z.string().max(256).optional() }),
  answer: z.object({ servers: z.array(Found), categories: z.array(z.string()) }),
  async handle(call, deps) {
    const { query = '', category } = call.query;
    const usable = new Set((await usableServers(call, deps)).servers.map((it) => it.server_id));
    const active = (await deps.store.mcp_server.all()).filter((it) => it.approval_status === 'active');
    const all = active.filter((it) => it.mcp_info?.['is_public'] === true).map((it) => shown(it, usable));
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = ({ name, title, description }: z.infer<typeof Found>) => {
      const text = `${name} ${title} ${description}`.toLowerCase();
      return words.every((it) => text.includes(it));
    };
    const found = all.filter((it) => (category === undefined || it.category === category) && matches(it));
    const categories = [...new Set(all.flatMap((it) => it.category ?? []))].toSorted();
    return ok({ servers: found.toSorted((a, b) => a.name.localeCompare(b.name)), categories });
  },
});

const Api = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  icon_url: z.string().nullable(),
  /** Where its OpenAPI document is. Nothing is fetched from there. */
  spec_url: z.string(),
});
const SpecUrl = z.url({ protocol: /^https?$/ }).max(2_048);

/** APIs with an OpenAPI document: this gateway's own, and those of public servers whose `mcp_info.spec_url` says so. */
export const listApis: Route = route({
  method: 'GET',
  path: '/v1/mcp/openapi-registry',
  who: 'any',
  tag,
  summary: 'Lists public APIs with the URLs of their OpenAPI documents',
  answer: z.object({ apis: z.array(Api) }),
  async handle(call, { store }) {
    const own: z.infer<typeof Api> = {
      name: 'switchboard',
      title: 'Switchboard gateway',
      description: "This gateway's keys, teams, servers, agents, and activity.",
      icon_url: null,
      spec_url: `${call.context.baseUrl}/openapi.json`,
    };
    const active = (await store.mcp_server.all()).filter((it) => it.approval_status === 'active');
    const listed = active.flatMap((it) => {
      const spec = SpecUrl.safeParse(it.mcp_info?.['spec_url']);
      if (it.mcp_info?.['is_public'] !== true || !spec.success) return [];
      const { name, title, description, logo_url } = shown(it, nobody);
      return [{ name, title, description, icon_url: logo_url, spec_url: spec.data }];
    });
    return ok({ apis: [own, ...listed.toSorted((a, b) => a.name.localeCompare(b.name))] });
  },
});
const nobody: ReadonlySet<string> = new Set();
