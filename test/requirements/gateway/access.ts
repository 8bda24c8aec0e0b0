import { promisedBy } from '../promised.ts';

const document = 'gateway specification';

export const levels = promisedBy(`${document}, Authorization (access resolution)`, {
  'gateway.access.key.mcp': 'A key says by servers, groups and tools what it may use of MCP.',
  'gateway.access.key.a2a': 'A key says by agents and groups what it may use of A2A.',
  'gateway.access.team.mcp': 'A key without a list has the servers of its team.',
  'gateway.access.team.mcp.narrowed': 'A key with a list has what both name.',
  'gateway.access.team.a2a': 'A key without a list has the agents of its team.',
  'gateway.access.team.a2a.narrowed': 'A key with a list has the agents that both name.',
  'gateway.access.end-user.mcp': 'The end user of x-gateway-end-user-id narrows servers, groups and tools.',
  'gateway.access.agent.mcp': 'The agent of x-gateway-agent-id narrows servers, groups and tools.',
  'gateway.access.org.mcp': 'An organisation is a ceiling over servers, groups and tools, and grants nothing.',
  'gateway.access.end-user.a2a': 'The end user narrows agents (decided: open in the document).',
  'gateway.access.agent.a2a': 'The calling agent narrows agents (decided: open in the document).',
  'gateway.access.org.a2a': 'An organisation is a ceiling over agents (decided: open in the document).',
  'gateway.access.tools': 'mcp_tool_permissions, allowed_tools and disallowed_tools all hold for one call.',
  'gateway.access.whole-server':
    'Resources and prompts are open to whom the server was given as a whole, not to whom some of its tools were (decided: open in the document).',
  'gateway.access.params': 'allowed_params holds for the parameters of a tool.',
  'gateway.access.a2a-no-tools': 'Tool lists are no matter of A2A.',
  'gateway.access.cloud-agents':
    "A key uses the cloud agents where its permissions name 'all-cloud-agents' among agents, or default_access lets it; nothing is relayed for another (decided: open in the document).",
  'gateway.access.list-hides': 'tools/list leaves out the servers that the caller may not use.',
  'gateway.access.agents-filtered': 'GET /v1/agents leaves out the agents that the caller may not use.',
  'gateway.access.toolset-empty':
    'The address of a toolset without tools shows nothing and calls nothing, also where empty lists inherit.',
  'gateway.access.default-no':
    'Where no level says anything, a team gateway allows nothing (decided: open in the document).',
});

export const trace = promisedBy(`${document}, Trace identity`, {
  'gateway.trace.required': 'A call to an agent that asks for a trace is refused without one.',
  'gateway.trace.session-will-do': 'The session id is taken in its place.',
  'gateway.trace.forwarded': 'The agent gets X-Gateway-Trace-Id.',
  'gateway.trace.agent-forwarded': 'The agent gets X-Gateway-Agent-Id.',
  'gateway.trace.key-not-forwarded': 'It does not get the virtual key.',
  'gateway.trace.end-user-not-forwarded': 'It does not get the end user.',
  'gateway.trace.identity-explicit.extra': 'Identity is passed on where extra_headers name its header.',
  'gateway.trace.identity-explicit.a2a': 'Identity is passed on in a header of the x-a2a- convention.',
});

export const guardrails = promisedBy(`${document}, Guardrails`, {
  'gateway.guardrail.pre_mcp_call': 'pre_mcp_call judges and changes what goes into a tool call.',
  'gateway.guardrail.during_mcp_call': 'during_mcp_call runs beside a tool call and may refuse it.',
  'gateway.guardrail.a2a-none': 'No guardrail of the gateway touches a call to an agent.',
});

export const errors = promisedBy(`${document}, Errors and limits`, {
  'gateway.error.agent-forbidden': 'POST /a2a/{agent_id} of an agent that the caller may not use: 403.',
  'gateway.error.trace-missing': 'An A2A call without a trace id that is asked for: 400.',
  'gateway.error.hidden-tool': 'tools/call of a tool that is hidden: an error, where tools/list leaves it out.',
  'gateway.error.hidden-server': 'tools/call at a server that is hidden: an error, where tools/list leaves it out.',
  'gateway.error.disallowed-tool': 'tools/call of a tool that is disallowed: an error, where tools/list leaves it out.',
  'gateway.limit.end-user-budget': 'Each end user may have a budget.',
});
