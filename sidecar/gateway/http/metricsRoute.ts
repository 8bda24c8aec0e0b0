import { Fault } from '../../platform/faults.ts';
import type { Accounting } from '../activity/accounting.ts';
import { durationBounds } from '../activity/callMetrics.ts';
import type { McpConnections, RunningProcesses } from '../backends/mcp/connections.ts';
import type { McpFront } from '../mcp/front.ts';
import type { KeyRoute, RouteCall } from '../routing/route.ts';
import { histogramLines, type Metric, metricsText } from './metrics.ts';

export interface MetricsDeps {
  readonly mcp: Pick<McpFront, 'sessionCount'>;
  readonly connections: McpConnections;
  readonly accounting: Pick<Accounting, 'activity' | 'metrics'>;
}

export const metricsRoutes: readonly KeyRoute<MetricsDeps>[] = [
  {
    method: 'GET',
    path: '/metrics',
    surface: 'management',
    auth: 'browser',
    groups: ['management_routes', 'info_routes'],
    countedAs: '(management)',
    spelled: 'whole',
    requirements: ['gateway.metrics.calls'],
    openapi: 'It returns metrics in the Prometheus text format.',
    handle: metricsAnswer,
  },
  {
    method: 'ANY',
    path: '/metrics',
    surface: 'management',
    auth: 'browser',
    groups: ['management_routes'],
    countedAs: '(management)',
    spelled: 'whole',
    requirements: ['gateway.metrics.calls'],
    openapi: 'It returns metrics in the Prometheus text format.',
    handle: metricsAnswer,
  },
];

/** For administrators and viewers: what calls of this process were like, and what it holds right now. */
function metricsAnswer({ context }: RouteCall, { mcp, connections, accounting }: MetricsDeps): Response {
  const { caller } = context;
  if (!caller.isAdmin && caller.key.role !== 'proxy_admin_viewer') {
    throw new Fault('forbidden', 'Only administrators and viewers can read metrics.');
  }
  const { activity, metrics } = accounting;
  const gauge = (name: string, help: string, value: () => number): Metric => ({
    name,
    help,
    type: 'gauge',
    values: () => [[{}, value()]],
  });
  const text = metricsText([
    ...callMetrics(metrics),
    gauge('switchboard_mcp_sessions', 'Open MCP sessions.', () => mcp.sessionCount),
    gauge('switchboard_mcp_connections', 'Open connections to MCP servers.', () => connections.count),
    ...processMetrics(connections),
    gauge('switchboard_records_waiting', 'Call records that have not been written yet.', () => activity.queue.length),
    gauge('switchboard_resident_bytes', 'Resident memory used by the process.', () => process.memoryUsage.rss()),
    {
      name: 'switchboard_records_dropped_total',
      help: 'Call records whose details were dropped because the database did not respond.',
      type: 'counter',
      values: () => [[{}, activity.queue.dropped]],
    },
  ]);
  return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
}

/** The servers that have values of their own. The values of all others are added up. */
const MAX_SERVERS = 100;

/** Processes of stdio servers, by server. */
function processMetrics(connections: McpConnections): readonly Metric[] {
  const processes = [...connections.processes().values()];
  const others = processes.slice(MAX_SERVERS);
  const gauge = (name: string, help: string, of: (it: RunningProcesses) => number): Metric => ({
    name,
    help,
    type: 'gauge',
    values: () => [
      ...processes.slice(0, MAX_SERVERS).map((it) => [{ server: it.name }, of(it)] as const),
      ...(others.length > 0 ? [[{ server: 'other' }, others.reduce((sum, it) => sum + of(it), 0)] as const] : []),
    ],
  });
  return [
    gauge('switchboard_stdio_processes', 'Processes of stdio servers, by server.', (it) => it.count),
    gauge(
      'switchboard_stdio_memory_bytes',
      'Resident memory of the processes of stdio servers, by server. 0 where the system does not report it.',
      (it) => it.memoryBytes,
    ),
  ];
}

function callMetrics(metrics: Accounting['metrics']): readonly Metric[] {
  const counter = <T extends { readonly count: number }>(
    name: string,
    help: string,
    all: () => Iterable<T>,
  ): Metric => ({
    name,
    help,
    type: 'counter',
    values: () =>
      [...all()].map(({ count, ...labels }) => [labels as unknown as Readonly<Record<string, string>>, count] as const),
  });
  return [
    counter(
      'switchboard_calls_total',
      'Completed calls, by protocol, server or agent, and outcome.',
      () => metrics.calls,
    ),
    counter('switchboard_call_errors_total', 'Failed calls, by error.', () => metrics.errors),
    counter(
      'switchboard_refused_total',
      'Requests that were refused because they did not include a known key.',
      () => metrics.refusals,
    ),
    {
      name: 'switchboard_call_duration_seconds',
      help: 'Duration of calls, from the first byte of the request to the last byte of the response.',
      type: 'histogram',
      *values() {
        for (const { surface, server, counts, sum } of metrics.durations)
          yield* histogramLines({ surface, server }, durationBounds, counts, sum);
      },
    },
  ];
}
