import { Fault } from '../platform/faults.ts';
import type { Activity } from './activity/activity.ts';
import type { McpConnections } from './backends/mcp/connections.ts';
import type { CallContext } from './callers/caller.ts';
import { type Metric, metricsText } from './http/metrics.ts';
import type { McpFront } from './mcp/front.ts';

export interface MetricsParts {
  readonly mcp: McpFront;
  readonly connections: McpConnections;
  readonly activity: Activity;
}

/** `GET /metrics`, for administrators and viewers: what this process holds right now. */
export function metricsAnswer({ mcp, connections, activity }: MetricsParts, { caller }: CallContext): Response {
  if (!caller.isAdmin && caller.key.role !== 'proxy_admin_viewer') {
    throw new Fault('forbidden', 'Only administrators and viewers may read metrics.');
  }
  const gauge = (name: string, help: string, value: () => number): Metric => ({
    name,
    help,
    type: 'gauge',
    values: () => [[{}, value()]],
  });
  const text = metricsText([
    gauge('switchboard_mcp_sessions', 'Open MCP sessions.', () => mcp.sessionCount),
    gauge('switchboard_mcp_connections', 'Warm connections to MCP servers.', () => connections.count),
    gauge('switchboard_records_waiting', 'Records of calls that are not written yet.', () => activity.queue.length),
    gauge('switchboard_resident_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss()),
    {
      name: 'switchboard_records_dropped_total',
      help: 'Records of calls whose detail was let go because the database did not answer.',
      type: 'counter',
      values: () => [[{}, activity.queue.dropped]],
    },
  ]);
  return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
}
