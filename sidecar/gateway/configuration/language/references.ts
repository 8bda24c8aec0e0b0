import type { NameKind } from './facts.ts';

export type Path = readonly (string | number)[];

/** A place of the file that names something else. */
export interface Reference {
  readonly kind: NameKind;
  /** For tools: the server that has them. */
  readonly server?: string;
}

/** `*` stands for any segment; the last rule that fits is not needed: no two fit. */
const values: readonly (readonly [pattern: string, kind: NameKind])[] = [
  ['mcp_servers.*.guardrails.*', 'guardrail'],
  ['teams.*.guardrails.*', 'guardrail'],
  ['agents.*.gateway_params.guardrails.*', 'guardrail'],
  ['mcp_servers.*.allowed_tools.*', 'tool'],
  ['mcp_servers.*.disallowed_tools.*', 'tool'],
  ['mcp_servers.*.mcp_access_groups.*', 'serverGroup'],
  ['mcp_servers.*.command', 'program'],
  ['agents.*.agent_access_groups.*', 'agentGroup'],
  ['toolsets.*.tools.*.server_id', 'server'],
  ['toolsets.*.tools.*.tool_name', 'tool'],
  ['teams.*.organization_id', 'organization'],
  ['teams.*.budget_id', 'budget'],
  ['organizations.*.budget_id', 'budget'],
  ['*.*.object_permission.mcp_servers.*', 'server'],
  ['*.*.object_permission.mcp_access_groups.*', 'serverGroup'],
  ['*.*.object_permission.mcp_tool_permissions.*.*', 'tool'],
  ['*.*.object_permission.mcp_toolsets.*', 'toolset'],
  ['*.*.object_permission.agents.*', 'agent'],
  ['*.*.object_permission.agent_access_groups.*', 'agentGroup'],
  ['*.*.object_permission.models.*', 'model'],
  ['teams.*.models.*', 'model'],
  ['organizations.*.models.*', 'model'],
];
const names: readonly (readonly [pattern: string, kind: NameKind])[] = [
  ['mcp_servers.*.allowed_params.*', 'tool'],
  ['mcp_servers.*.tool_name_to_display_name.*', 'tool'],
  ['mcp_servers.*.tool_name_to_description.*', 'tool'],
  ['*.*.object_permission.mcp_tool_permissions.*', 'server'],
];

/** What the value at `path` names. @param at reads a value of the file, for the server beside a tool */
export function valueReference(path: Path, at: (path: Path) => unknown): Reference | undefined {
  return found(values, path, at);
}
/** What the name of the member at `path` names. */
export function nameReference(path: Path, at: (path: Path) => unknown): Reference | undefined {
  return found(names, path, at);
}

function found(rules: typeof values, path: Path, at: (path: Path) => unknown): Reference | undefined {
  const kind = rules.find(([pattern]) => fits(pattern.split('.'), path))?.[1];
  if (kind !== 'tool') return kind && { kind };
  const server = serverOf(path, at);
  return typeof server === 'string' ? { kind, server } : { kind };
}

function serverOf(path: Path, at: (path: Path) => unknown): unknown {
  if (path[0] === 'mcp_servers') return path[1];
  if (path[0] === 'toolsets') return at([...path.slice(0, -1), 'server_id']);
  return path.at(-2);
}

const fits = (pattern: readonly string[], path: Path) =>
  pattern.length === path.length && pattern.every((it, n) => it === '*' || it === String(path[n]));
