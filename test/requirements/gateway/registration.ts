import { promisedBy } from '../promised.ts';

const document = 'gateway specification';

export const agents = promisedBy(`${document}, Agent registration parameters`, {
  'gateway.agent.by-uuid': 'An agent is addressed by its UUID.',
  'gateway.agent.by-name': 'An agent is addressed by its name.',
  'gateway.agent.api_key': 'api_key set: the agent gets a bearer token.',
  'gateway.agent.custom_llm_provider': 'custom_llm_provider picks the way in which a provider authenticates.',
  'gateway.agent.static_headers': 'static_headers are sent with every call to the agent.',
  'gateway.agent.static_headers.win': 'static_headers of an agent win over a header of the user.',
  'gateway.agent.extra_headers':
    'extra_headers of an agent name client headers that are forwarded as they came; others are not.',
  'gateway.agent.trace-to': 'require_trace_id_on_calls_to_agent asks for a trace id on calls to the agent.',
  'gateway.agent.trace-by.a2a': 'require_trace_id_on_calls_by_agent asks for one on A2A calls with a key of the agent.',
  'gateway.agent.trace-by.mcp': 'require_trace_id_on_calls_by_agent asks for one on MCP calls with a key of the agent.',
  'gateway.agent.trace-by.cloud':
    'require_trace_id_on_calls_by_agent asks for one on pass-through calls with a key of the agent.',
});

export const servers = promisedBy(`${document}, MCP server registration`, {
  'gateway.server.alias': 'alias names a server in per-user headers.',
  'gateway.server.server_name': 'server_name names a server in per-user headers.',
  'gateway.server.auth_type': 'auth_type is one of nine values, and others are refused.',
  'gateway.server.oauth2_flow': 'oauth2_flow tells an interactive sign-in from client_credentials under oauth2.',
  'gateway.server.static_headers': 'static_headers are sent with every call to the server.',
  'gateway.server.static_headers.win': 'static_headers of a server win over a header of the user.',
  'gateway.server.extra_headers':
    'extra_headers of a server name client headers that are forwarded as they came; others are not.',
  'gateway.server.allowed_tools': 'allowed_tools: other tools of the server are neither shown nor called.',
  'gateway.server.disallowed_tools': 'disallowed_tools: these tools are neither shown nor called.',
  'gateway.server.allowed_params': 'allowed_params: other parameters of the tool are not taken.',
});

export const permissions = promisedBy(`${document}, object_permission`, {
  'gateway.permission.mcp_servers.key': 'mcp_servers on a key lists the servers that it may use.',
  'gateway.permission.mcp_servers.team': 'mcp_servers on a team lists the servers that its keys may use.',
  'gateway.permission.mcp_access_groups.key': 'mcp_access_groups on a key grant the servers with these tags.',
  'gateway.permission.mcp_access_groups.team': 'mcp_access_groups on a team grant the servers with these tags.',
  'gateway.permission.mcp_tool_permissions.key': 'mcp_tool_permissions on a key list the tools of a server, by its id.',
  'gateway.permission.mcp_tool_permissions.team':
    'mcp_tool_permissions on a team list the tools of a server, by its id.',
  'gateway.permission.agents.key': 'agents on a key lists the agents that it may use.',
  'gateway.permission.agents.team': 'agents on a team lists the agents that its keys may use.',
  'gateway.permission.agent_access_groups.key': 'agent_access_groups on a key grant the agents with these tags.',
  'gateway.permission.agent_access_groups.team': 'agent_access_groups on a team grant the agents with these tags.',
  'gateway.permission.intersection': 'What two levels name is intersected: no level widens another.',
});
