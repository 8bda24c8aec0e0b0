import { alertTargetProblem } from '../../protocol/gateway/alerts/target.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import type { Finding } from './problem.ts';

/** What no schema can say of alerts: what each type of target requires, and targets that nobody has. */
export function checkAlerts({ alerts, mcp_servers }: GatewayConfig): Finding[] {
  const findings: Finding[] = [];
  for (const [name, target] of Object.entries(alerts.targets)) {
    const path = ['alerts', 'targets', name];
    const problem = alertTargetProblem(target, (secret) => Boolean(target[secret]));
    if (problem) findings.push({ path: [...path, problem.field], message: problem.message, kind: 'rule' });
    const { url, type } = target;
    if (typeof url !== 'string') continue;
    const message =
      type !== 'webhook'
        ? 'must be { "env": "NAME" } or { "file": "path" }, because whoever has this URL can post'
        : /^https?:\/\//i.test(url) && URL.canParse(url)
          ? undefined
          : 'must be a URL such as https://hooks.example.com/alerts';
    if (message !== undefined) findings.push({ path: [...path, 'url'], message, kind: 'rule' });
  }
  const servers = new Set(Object.entries(mcp_servers).map(([name, it]) => it.server_id ?? name));
  for (const [name, { targets, servers: wanted }] of Object.entries(alerts.rules)) {
    const path = ['alerts', 'rules', name];
    for (const [at, it] of targets.entries())
      if (!alerts.targets[it])
        findings.push({
          path: [...path, 'targets', at],
          message: `no alert target in this file has the name '${it}'`,
          kind: 'warning',
        });
    for (const [at, it] of (wanted ?? []).entries())
      if (!servers.has(it))
        findings.push({
          path: [...path, 'servers', at],
          message: `no MCP server in this file has the ID '${it}'`,
          kind: 'warning',
        });
  }
  return findings;
}
