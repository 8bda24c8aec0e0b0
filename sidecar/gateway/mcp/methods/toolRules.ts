import { BoundedMap } from '../../../platform/boundedMap.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import type { Item } from '../../backends/mcp/listAll.ts';
import { costOf, type McpServer, nameOf } from '../mcpDeps.ts';

/**
 * The parameters that a tool of this server may be given (`gateway.access.params`); `undefined` where every one may.
 */
export function allowedParamsOf(server: McpServer, tool: string, separator: string): readonly string[] | undefined {
  const rules = server.allowed_params;
  if (!rules) return undefined;
  if (Object.hasOwn(rules, tool)) return rules[tool];
  const long = `${nameOf(server)}${separator}${tool}`;
  return Object.hasOwn(rules, long) ? rules[long] : undefined;
}

/** Names of arguments that may not be given, in the order in which they came. */
export function offendingParams(
  server: McpServer,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  separator: string,
): readonly string[] {
  const allowed = allowedParamsOf(server, tool, separator);
  return allowed ? Object.keys(args).filter((it) => !allowed.includes(it)) : [];
}

/** Longer names break clients, as do the characters below. */
const MAX_TOOL_NAME = 256;
const UNUSABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}<>]/u;

/** A name that is handed to nobody: with a line end, a control character or markup in it clients refuse the whole list. */
export const isUsableName = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && name.length <= MAX_TOOL_NAME && !UNUSABLE.test(name);

/** What is known of a tool before it is called, whoever calls it. */
export interface CallableTool {
  /** What the record of a call says of it. */
  readonly noted: { readonly model: string; readonly mcp_namespaced_tool_name: string };
  /** US dollars. */
  readonly cost: number;
}
/** By server and name, for as long as the registration stays the same. Callers choose names, so not all are kept. */
const callables = new WeakMap<McpServer, BoundedMap<string, CallableTool>>();
const KEPT_TOOLS = 256;

/** @returns `undefined` for a name that is never sent to a server */
export function callableTool(server: McpServer, name: string): CallableTool | undefined {
  let tools = callables.get(server);
  const known = tools?.get(name);
  if (known) return known;
  if (!isUsableName(name)) return undefined;
  const noted = { model: `MCP: ${name}`, mcp_namespaced_tool_name: `${nameOf(server)}/${name}` };
  const tool = { noted, cost: costOf(server, name) };
  if (!tools) callables.set(server, (tools = new BoundedMap(KEPT_TOOLS)));
  tools.set(name, tool);
  return tool;
}

/** A tool as callers see it: with the registration's words, and without parameters that nobody may give. */
export function shownTool(server: McpServer, tool: Item, separator: string): Item {
  const name = String(tool['name']);
  const title = own(server.tool_name_to_display_name, name);
  const description = own(server.tool_name_to_description, name);
  const allowed = allowedParamsOf(server, name, separator);
  if (title === undefined && description === undefined && !allowed) return tool;
  return {
    ...tool,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(allowed && { inputSchema: pruned(tool['inputSchema'], allowed) }),
  };
}

function pruned(schema: unknown, allowed: readonly string[]): unknown {
  if (!isRecord(schema)) return schema;
  const { properties, required } = schema;
  return {
    ...schema,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => allowed.includes(name))),
    }),
    ...(Array.isArray(required) && { required: required.filter((it) => allowed.includes(String(it))) }),
  };
}

const own = (map: Readonly<Record<string, string>> | null | undefined, name: string): string | undefined =>
  map && Object.hasOwn(map, name) ? map[name] : undefined;
