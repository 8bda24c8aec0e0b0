import { adminKey, startAdmin } from '../../integration/admin/adminHarness.ts';
import { speakMcp } from '../../support/gateway/backendAnswers.ts';
import { toolsAt } from '../../support/gateway/filling/backends.ts';
import { type Filled, fillGateway } from '../../support/gateway/filling/fillGateway.ts';
import { until } from '../../support/until.ts';
import type { Names } from './judge.ts';

export interface FilledStage {
  readonly baseUrl: string;
  readonly adminKey: string;
  readonly filled: Filled;
  readonly names: Names;
  close(): Promise<void>;
}

/** A gateway with 100 teams, 1,000 keys, and 60 servers, which answer, and so many calls. */
export async function openFilledStage(calls: number): Promise<FilledStage> {
  const harness = await startAdmin();
  const { peer, gateway } = harness;
  const asBefore = peer.answer;
  peer.answer = (heard, response) =>
    heard.path.startsWith('/mcp/') ? speakMcp(heard, response, toolsAt(heard.path)) : asBefore(heard, response);
  const sizes = { teams: 100, keys: 1_000, servers: 60, days: 30 };
  const filled = await fillGateway(gateway.store, { ...sizes, calls, nowMs: Date.now(), backendUrl: peer.url });
  await harness.call('GET', '/v1/mcp/server/health');
  await until('every server was asked', async () => {
    const known = await gateway.store.serverHealth.of(filled.servers.map((it) => it.server_id));
    return known.length >= filled.servers.filter((it) => it.approval_status === 'active').length;
  });
  return { baseUrl: gateway.baseUrl, adminKey, filled, names: namesOf(filled), close: () => harness.close() };
}

/** Callers choose the IDs of end users, and know them by those. */
function namesOf({ teams, organizations, users, keys, agents }: Filled): Names {
  const pairs: (readonly [string, string | null | undefined])[] = [
    ...teams.map((it) => [it.team_id, it.team_alias] as const),
    ...organizations.map((it) => [it.organization_id, it.organization_alias] as const),
    ...users.map((it) => [it.user_id, it.user_alias] as const),
    ...agents.map((it) => [it.agent_id, it.agent_name] as const),
    ...keys.map((it) => [it.token, it.key_alias] as const),
  ];
  return new Map(pairs.flatMap(([id, name]) => (name ? [[id, name] as const] : [])));
}
