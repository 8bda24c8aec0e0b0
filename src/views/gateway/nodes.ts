import type { AgentRecord } from '../../../sidecar/protocol/gateway/agent.ts';
import type { KeyAnswer, McpServerAnswer, TeamAnswer, ToolAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { moneyText } from '../../platform/counts.ts';
import type { Localizer } from '../../platform/localizer.ts';
import { agentLabel, keyDescription, serverLabel, spentText } from './labels.ts';

export type GatewayGroup = 'servers' | 'agents' | 'keys' | 'teams' | 'today';

/** One row. `target` is the id that commands take: of a server, an agent, a key's hash, a tool's name. */
export interface GatewayNode {
  readonly kind: 'group' | 'server' | 'tool' | 'agent' | 'key' | 'team' | 'sum' | 'note';
  readonly id: string;
  readonly target: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon?: string;
  readonly color?: string;
  /** Words for `when` clauses. */
  readonly contextValue: string;
  readonly opens: 'never' | 'closed' | 'open';
  readonly command?: string;
  /** Of a tool: its server. */
  readonly server?: string;
}

export interface KeyRow extends KeyAnswer {
  /** For a person. */
  readonly label: string;
  /** The agent of a session calls models with it. */
  readonly isOfSession: boolean;
}

/** What the rows are made of: a part of the gateway's picture. */
export interface GatewayInput {
  readonly servers: readonly McpServerAnswer[];
  readonly agents: readonly AgentRecord[];
  readonly keys: readonly KeyRow[];
  readonly teams: readonly TeamAnswer[];
  readonly today: { readonly total_requests: number; readonly failed_requests: number; readonly spend: number };
  /** Hashes of the keys that the editor keeps. */
  readonly kept: ReadonlySet<string>;
}

/** The groups that hold something, and today. Nothing at all where the gateway is empty: the welcome text shows then. */
export function groupNodes(l10n: Localizer, input: GatewayInput): GatewayNode[] {
  const { servers, agents, keys, teams, today } = input;
  const isEmpty = [servers, agents, keys, teams].every((it) => it.length === 0) && today.total_requests === 0;
  if (isEmpty) return [];
  const group = (it: GatewayGroup, label: string, count: number | string, opens: 'closed' | 'open'): GatewayNode => ({
    kind: 'group',
    id: `group/${it}`,
    target: it,
    label,
    description: String(count),
    contextValue: `group ${it}`,
    opens,
  });
  const calls = today.total_requests === 1 ? l10n.t('1 call') : l10n.t('{0} calls', today.total_requests);
  return [
    group('servers', l10n.t('Servers'), servers.length, 'open'),
    ...(agents.length > 0 ? [group('agents', l10n.t('Agents'), agents.length, 'open')] : []),
    group('keys', l10n.t('Keys'), keys.length, 'open'),
    ...(teams.length > 0 ? [group('teams', l10n.t('Teams'), teams.length, 'closed')] : []),
    group('today', l10n.t('Today'), calls, 'open'),
  ];
}

export function rowsOf(l10n: Localizer, input: GatewayInput, group: string): GatewayNode[] {
  switch (group as GatewayGroup) {
    case 'servers':
      return input.servers.map((it) => serverNode(l10n, it));
    case 'agents':
      return input.agents.map((it) => agentNode(l10n, it));
    case 'keys':
      return input.keys.map((it) => keyNode(l10n, it, input.kept));
    case 'teams':
      return input.teams.map((it) => teamNode(l10n, it));
    case 'today':
      return sumNodes(l10n, input.today);
  }
}

const health: Readonly<Record<string, { readonly icon: string; readonly color?: string }>> = {
  healthy: { icon: 'pass-filled', color: 'testing.iconPassed' },
  unhealthy: { icon: 'error', color: 'list.errorForeground' },
};

const signedOut = { icon: 'account', color: 'list.warningForeground' };

function serverNode(l10n: Localizer, server: McpServerAnswer): GatewayNode {
  const { server_id, transport, status, health_check_error, approval_status, auth_type, url, command } = server;
  const state = {
    healthy: l10n.t('healthy'),
    unhealthy: l10n.t('not responding'),
    unknown: l10n.t('not checked yet'),
  }[status ?? 'unknown'];
  const isSignIn = auth_type === 'oauth2' && server.oauth2_flow !== 'client_credentials';
  const isSignedOut = isSignIn && server.has_user_credential === false;
  // Whether it answers only a call shows: nobody asks it with the person's token.
  const isSignedIn = isSignIn && server.has_user_credential === true && status !== 'healthy' && status !== 'unhealthy';
  const waits =
    approval_status === 'pending_review'
      ? l10n.t('pending review')
      : isSignedOut && status !== 'unhealthy'
        ? l10n.t('sign-in required')
        : undefined;
  const address = url ?? [command, ...(server.args ?? [])].join(' ');
  return {
    kind: 'server',
    id: `server/${server_id}`,
    target: server_id,
    label: serverLabel(server),
    description: [waits ?? (isSignedIn ? l10n.t('signed in') : state), transport].join(' · '),
    tooltip: [serverLabel(server), server.description, address, health_check_error].filter(Boolean).join('\n\n'),
    ...((isSignedOut && status !== 'unhealthy' ? signedOut : health[status ?? '']) ?? { icon: 'circle-outline' }),
    contextValue: ['server', ...(isSignIn ? ['signIn'] : []), ...(isSignedOut ? ['signedOut'] : [])].join(' '),
    opens: 'closed',
  };
}

export function toolNodes(server: string, tools: readonly ToolAnswer[]): GatewayNode[] {
  return tools.map(({ name, title, description }) => ({
    kind: 'tool',
    id: `tool/${server}/${name}`,
    target: name,
    server,
    label: name,
    description: firstLine(description ?? title ?? ''),
    tooltip: [name, title, description].filter(Boolean).join('\n\n'),
    icon: 'tools',
    contextValue: 'tool',
    opens: 'never',
  }));
}

function agentNode(l10n: Localizer, agent: AgentRecord): GatewayNode {
  const { url, description } = agent.agent_card_params;
  return {
    kind: 'agent',
    id: `agent/${agent.agent_id}`,
    target: agent.agent_id,
    label: agentLabel(agent),
    description: agent.gateway_params?.enabled === false ? l10n.t('turned off') : hostOf(url),
    tooltip: [agentLabel(agent), description, url].filter((it) => typeof it === 'string').join('\n\n'),
    icon: 'hubot',
    contextValue: 'agent',
    opens: 'never',
  };
}

function keyNode(l10n: Localizer, key: KeyRow, kept: ReadonlySet<string>): GatewayNode {
  const description = keyDescription(l10n, key);
  return {
    kind: 'key',
    id: `key/${key.token_id}`,
    target: key.token,
    label: key.label,
    description,
    tooltip: [key.label, description].join('\n\n'),
    icon: key.blocked ? 'circle-slash' : 'key',
    contextValue: ['key', ...(kept.has(key.token) ? ['kept'] : [])].join(' '),
    opens: 'never',
  };
}

function teamNode(l10n: Localizer, team: TeamAnswer): GatewayNode {
  const members = team.members_with_roles?.length ?? 0;
  const count = members === 1 ? l10n.t('1 member') : l10n.t('{0} members', members);
  return {
    kind: 'team',
    id: `team/${team.team_id}`,
    target: team.team_id,
    label: team.team_alias ?? team.team_id,
    description: [count, spentText(l10n, team)].join(' · '),
    icon: 'organization',
    contextValue: 'team',
    opens: 'never',
  };
}

function sumNodes(l10n: Localizer, { total_requests, failed_requests, spend }: GatewayInput['today']): GatewayNode[] {
  const sum = (id: string, label: string, description: string, icon: string, color?: string): GatewayNode => ({
    kind: 'sum',
    id: `today/${id}`,
    target: id,
    label,
    description,
    icon,
    ...(color !== undefined && { color }),
    contextValue: 'sum',
    opens: 'never',
    command: commandIds.openDashboard,
  });
  const failed = failed_requests > 0 ? 'list.errorForeground' : undefined;
  return [
    sum('calls', l10n.t('Calls'), String(total_requests), 'pulse'),
    sum('failed', l10n.t('Failed'), String(failed_requests), 'error', failed),
    sum('spend', l10n.t('Spend'), moneyText(spend), 'credit-card'),
  ];
}

/** One row that says why there are no others. */
export function noteNode(id: string, label: string, isProblem: boolean): GatewayNode {
  const color = isProblem ? { icon: 'warning', color: 'list.warningForeground' } : { icon: 'info' };
  return {
    kind: 'note',
    id: `note/${id}`,
    target: id,
    label,
    tooltip: label,
    ...color,
    contextValue: !isProblem ? 'note' : id === 'problem' ? 'note problem' : 'note tools',
    opens: 'never',
  };
}

function hostOf(url: unknown): string {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : '';
}
const firstLine = (text: string) => text.trim().split('\n', 1)[0] ?? '';
