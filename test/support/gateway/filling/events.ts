import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { alertKinds } from '../../../../sidecar/protocol/gateway/alerts/event.ts';
import type { FilledBackends } from './backends.ts';
import type { FilledPeople } from './people.ts';
import type { Filling } from './plan.ts';

/** What people and the gateway did: changes in the audit, alert targets and rules with their messages, requests for access. */
export async function fillEvents(
  store: GatewayStore,
  filling: Filling,
  people: FilledPeople,
  backends: FilledBackends,
): Promise<void> {
  await fillAudit(store, filling, people);
  await fillAlerts(store, filling, backends);
  await fillRequests(store, filling, people, backends);
}

/** Two entries for each key. */
async function fillAudit(store: GatewayStore, filling: Filling, { keys, users, teams }: FilledPeople): Promise<void> {
  const { random, ago, days } = filling;
  const actions = ['created', 'updated', 'updated', 'blocked', 'unblocked', 'rotated'] as const;
  for (let at = 0; at < filling.keys * 2; at += 1) {
    const actor = random.pick(users);
    const isTeam = at % 4 === 3;
    const key = random.pick(keys);
    const team = random.pick(teams);
    const record = isTeam ? team : key;
    const action = isTeam ? 'updated' : random.pick(actions);
    await store.audit.add({
      id: `audit-${String(at).padStart(8, '0')}`,
      at: ago(random.below(days * 1_000) / 1_000),
      actor: at % 5 === 0 ? key.token : actor.user_id,
      actor_email: at % 5 === 0 ? null : (actor.user_email ?? null),
      signed_in_by: at % 5 === 0 ? 'key' : 'sign_in',
      changed_by: at % 19 === 0 ? `ticket ${1_000 + at}` : null,
      action,
      kind: isTeam ? 'team' : 'key',
      object_id: isTeam ? team.team_id : key.token,
      before: action === 'created' ? null : JSON.stringify({ ...record, max_budget: 10, rpm_limit: null }),
      after: JSON.stringify({ ...record, max_budget: 25, rpm_limit: 120 }),
    });
  }
}

async function fillAlerts(store: GatewayStore, filling: Filling, { servers }: FilledBackends): Promise<void> {
  const { ago, nowMs, random } = filling;
  const stamps = { created_at: ago(40), updated_at: ago(40) };
  const targets = ['on-call-slack', 'platform-teams-channel', 'finance-mailing-list', 'incident-webhook'];
  const types = ['slack', 'teams', 'email', 'webhook'] as const;
  for (const [at, target_name] of targets.entries())
    await store.alert_target.insert({
      target_name,
      type: types[at] ?? 'webhook',
      address: types[at] === 'email' ? 'smtp.example.com:587' : 'https://hooks.example.com',
      ...(types[at] === 'email' && {
        smtp_host: 'smtp.example.com',
        from: 'gateway@example.com',
        to: ['finance@example.com'],
      }),
      ...stamps,
    });
  for (const [at, kind] of alertKinds.entries())
    await store.alert_rule.insert({
      rule_name: `${kind.replaceAll('_', '-')}-rule`,
      events: [kind],
      targets: [targets[at % targets.length] ?? ''],
      enabled: at !== 4,
      ...stamps,
    });
  await store.database.db
    .insertInto('alert_deliveries')
    .values(
      Array.from({ length: Math.max(3, filling.servers * 2) }, (_, at) => {
        const type = random.pick(alertKinds);
        const { server_id, alias } = random.pick(servers);
        const created_ms = nowMs - (at + 1) * 3_600_000;
        const created_at = new Date(created_ms).toISOString();
        const message = `The MCP server '${alias}' is not available. The connection was refused.`;
        const subject = { type: 'mcp_server', id: server_id, name: alias ?? server_id };
        const event = { id: `event-${at}`, type, at: created_at, subject, message, facts: {} };
        const rule = `${type.replaceAll('_', '-')}-rule`;
        const isDead = at % 9 === 8;
        return {
          id: `message-${at}`,
          target: random.pick(targets),
          rule,
          type,
          count: 1,
          body: JSON.stringify({ id: `message-${at}`, type, rule, created_at, count: 1, events: [event] }),
          state: isDead ? ('dead' as const) : ('delivered' as const),
          created_ms,
          due_ms: created_ms,
          attempts: isDead ? 8 : 1,
          next_ms: 0,
          ended_ms: created_ms + 900,
          error: isDead ? 'The target answered with status 503.' : null,
        };
      }),
    )
    .execute();
}

async function fillRequests(
  store: GatewayStore,
  filling: Filling,
  { keys }: FilledPeople,
  { servers }: FilledBackends,
): Promise<void> {
  for (let at = 0; at < Math.ceil(filling.servers / 2); at += 1) {
    const status = (['pending', 'granted', 'refused'] as const)[at % 3] ?? 'pending';
    await store.access_request.insert({
      request_id: `request-${at}`,
      server_id: servers[at % servers.length]?.server_id ?? '',
      token: keys[(at * 7) % keys.length]?.token ?? '',
      reason: at % 2 === 0 ? 'For the quarterly report, which reads last year’s invoices.' : null,
      status,
      ...(status !== 'pending' && { decided_at: filling.ago(1), decided_by: 'admin' }),
      ...(status === 'refused' && { decision_notes: 'Please use the staging server.' }),
      created_at: filling.ago(at % 20),
      updated_at: filling.ago(at % 20),
    });
  }
}
