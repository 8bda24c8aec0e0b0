import type { AgentRecord } from '../../../sidecar/protocol/gateway/agent.ts';
import type { KeyAnswer, McpServerAnswer, TeamAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import type { GatewayPicture, NamedKey } from '../../../src/gateway/model.ts';

const stamps = { created_at: '2026-11-20T10:00:00Z', updated_at: '2026-11-20T10:00:00Z' };

export const serverAnswer = (more: Partial<McpServerAnswer> = {}): McpServerAnswer => ({
  server_id: 's1',
  server_name: 'everything',
  transport: 'http',
  url: 'https://mcp.example/mcp',
  approval_status: 'active',
  status: 'healthy',
  ...stamps,
  ...more,
});
export const agentRecord = (more: Partial<AgentRecord> = {}): AgentRecord => ({
  agent_id: 'a1',
  agent_name: 'Planner',
  agent_card_params: { url: 'https://agents.example/planner', description: 'Plans' },
  ...stamps,
  ...more,
});
export const keyAnswer = (more: Partial<KeyAnswer> = {}): KeyAnswer => ({
  token: 'a'.repeat(64),
  token_id: 'k1',
  key_name: 'sk-...wxyz',
  key_alias: 'ci',
  rotation_count: 0,
  spend: 0.125,
  ...stamps,
  ...more,
});
export const namedKey = ({ label, isOfSession = false, ...more }: Partial<NamedKey> = {}): NamedKey => {
  const key = keyAnswer(more);
  return { ...key, isOfSession, label: label ?? key.key_alias ?? key.key_name };
};
export const teamAnswer = (more: Partial<TeamAnswer> = {}): TeamAnswer => ({
  team_id: 't1',
  team_alias: 'Platform',
  members_with_roles: [{ role: 'admin', user_id: 'u1' }],
  spend: 1,
  ...stamps,
  ...more,
});
export const totals = (total_requests = 0, failed_requests = 0, spend = 0): GatewayPicture['today'] => ({
  total_requests,
  failed_requests,
  spend,
});
export const picture = (more: Partial<GatewayPicture> = {}): GatewayPicture => ({
  servers: [],
  agents: [],
  keys: [],
  teams: [],
  today: totals(),
  kept: new Set(),
  ...more,
});
