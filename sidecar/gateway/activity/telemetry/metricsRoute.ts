import { Fault } from '../../../platform/faults.ts';
import type { KeyRoute, RouteCall } from '../../routing/route.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { Accounting } from '../accounting.ts';
import { durationBounds, type Histogram, OTHER } from '../callMetrics.ts';
import { type CallerMetricsDeps, callerMetrics } from './callerMetrics.ts';
import { counter, gauge, histogramValues, type Metric, type Value } from './metric.ts';
import type { ProcessFigures } from './processFigures.ts';
import { type ResilienceMetricsDeps, resilienceMetrics } from './resilienceMetrics.ts';

/** Processes of one stdio server. */
interface RunningProcesses {
  readonly name: string;
  readonly count: number;
  readonly memoryBytes: number;
}

export interface MetricsDeps extends CallerMetricsDeps, Pick<ResilienceMetricsDeps, 'resilience'> {
  /** Of all processes of this gateway. */
  readonly figures: () => Promise<ProcessFigures>;
  readonly connections: { processes(): ReadonlyMap<string, RunningProcesses> };
  readonly accounting: Pick<Accounting, 'activity' | 'metrics' | 'limits'>;
  readonly store: Pick<GatewayStore, 'serverHealth'>;
  /** Lines of the log that no sink will ever get, by the name of the sink. Absent: there are no sinks. */
  readonly droppedLogLines?: (() => Iterable<readonly [sink: string, lines: number]>) | undefined;
}

const row = {
  path: '/metrics',
  surface: 'management',
  auth: 'browser',
  countedAs: '(management)',
  spelled: 'whole',
  requirements: ['gateway.metrics.calls'],
  openapi: 'It returns metrics in the Prometheus text format.',
  handle: metricsAnswer,
} as const;

export const metricsRoutes: readonly KeyRoute<MetricsDeps>[] = [
  { ...row, method: 'GET', groups: ['management_routes', 'info_routes'] },
  { ...row, method: 'ANY', groups: ['management_routes'] },
];

/**
 * For administrators and viewers: what calls of this gateway were like, and what its processes hold right now.
 *
 * @throws {Fault} `forbidden`; `unavailable` where the database does not respond
 */
async function metricsAnswer({ context }: RouteCall, deps: MetricsDeps): Promise<Response> {
  const { caller } = context;
  if (!caller.isAdmin && caller.key.role !== 'proxy_admin_viewer') {
    throw new Fault('forbidden', 'Only administrators and viewers can read metrics.');
  }
  const { contentType, prometheusText } = await import('./prometheus.ts');
  const text = await prometheusText([
    ...callMetrics(deps.accounting.metrics),
    ...(await callerMetrics(deps)),
    ...stateMetrics(deps, await deps.figures()),
  ]);
  return new Response(text, { headers: { 'content-type': contentType() } });
}

/** What the gateway holds right now. */
function stateMetrics(
  { connections, accounting: { activity }, store, directory, resilience, droppedLogLines }: MetricsDeps,
  { sessions, connections: open, streams, pool, residentBytes, droppedContents }: ProcessFigures,
): Metric[] {
  const single = (value: () => number) => () => [[{}, value()]] as const;
  return [
    gauge(
      'switchboard_mcp_sessions',
      'Open MCP sessions.',
      single(() => sessions),
    ),
    gauge(
      'switchboard_mcp_connections',
      'Open connections to MCP servers.',
      single(() => open),
    ),
    gauge('switchboard_open_streams', 'Responses that are being streamed to callers, by protocol.', () =>
      streams.map(([surface, count]) => [{ surface }, count] as const),
    ),
    ...processMetrics(connections),
    ...resilienceMetrics({ resilience, names: () => namesOf(directory) }),
    gauge('switchboard_server_up', 'Whether an MCP server passed its last health check: 1 or 0.', async () => {
      const names = await namesOf(directory);
      const kept = await store.serverHealth.of([...names.keys()].slice(0, MAX_SERVERS));
      return kept
        .filter((it) => it.status !== 'unknown')
        .map((it) => [{ server: names.get(it.server_id) ?? it.server_id }, it.status === 'healthy' ? 1 : 0] as const);
    }),
    gauge('switchboard_database_connections', 'Connections of this gateway to PostgreSQL, by state.', () =>
      pool ? [[{ state: 'busy' }, pool.busy] as const, [{ state: 'idle' }, pool.idle] as const] : [],
    ),
    gauge('switchboard_database_waiting', 'Queries that wait for a connection to PostgreSQL.', () =>
      pool ? [[{}, pool.waiting] as const] : [],
    ),
    gauge(
      'switchboard_records_waiting',
      'Call records that have not been written yet.',
      single(() => activity.queue.length),
    ),
    gauge(
      'switchboard_resident_bytes',
      'Resident memory used by the processes of the gateway.',
      single(() => residentBytes),
    ),
    counter(
      'switchboard_records_dropped_total',
      'Call records whose details were dropped because the database did not respond.',
      single(() => activity.queue.dropped),
    ),
    counter(
      'switchboard_contents_dropped_total',
      'Calls whose request and response were not stored because too many were waiting.',
      single(() => droppedContents),
    ),
    counter('switchboard_log_lines_dropped_total', 'Log lines that were dropped, by destination.', () =>
      [...(droppedLogLines?.() ?? [])].map(([sink, lines]) => [{ sink }, lines] as const),
    ),
  ];
}

/** What servers are called, by ID. */
async function namesOf(directory: MetricsDeps['directory']): Promise<ReadonlyMap<string, string>> {
  const { servers } = await directory.registered();
  return new Map(servers.map((it) => [it.server_id, it.alias || it.server_name || it.server_id]));
}

/** The servers that have values of their own. The values of all others are added up. */
const MAX_SERVERS = 100;

/** Processes of stdio servers, by server. */
function processMetrics(connections: MetricsDeps['connections']): readonly Metric[] {
  const processes = [...connections.processes().values()];
  const others = processes.slice(MAX_SERVERS);
  const each = (of: (it: RunningProcesses) => number) => () => [
    ...processes.slice(0, MAX_SERVERS).map((it) => [{ server: it.name }, of(it)] as const),
    ...(others.length > 0 ? [[{ server: OTHER }, others.reduce((sum, it) => sum + of(it), 0)] as const] : []),
  ];
  return [
    gauge(
      'switchboard_stdio_processes',
      'Processes of stdio servers, by server.',
      each((it) => it.count),
    ),
    gauge(
      'switchboard_stdio_memory_bytes',
      'Resident memory of the processes of stdio servers, by server. 0 where the system does not report it.',
      each((it) => it.memoryBytes),
    ),
  ];
}

function callMetrics(metrics: Accounting['metrics']): readonly Metric[] {
  const counts =
    <T extends { readonly count: number }>(all: () => Iterable<T>) =>
    () =>
      [...all()].map(({ count, ...labels }) => [labels as unknown as Readonly<Record<string, string>>, count] as const);
  const outcomes = (labels: Value[0], { success, failure }: { success: number; failure: number }): readonly Value[] => [
    [{ ...labels, status: 'success' }, success],
    [{ ...labels, status: 'failure' }, failure],
  ];
  const histogram = (name: string, help: string, of: 'whole' | 'firstByte'): Metric => ({
    name,
    help,
    type: 'histogram',
    values: () =>
      [...metrics.durations].flatMap(({ surface, server, [of]: it }) => [...valuesOf({ surface, server }, it)]),
  });
  return [
    counter(
      'switchboard_calls_total',
      'Completed calls, by protocol, server or agent, and outcome.',
      counts(() => metrics.calls),
    ),
    counter(
      'switchboard_call_errors_total',
      'Failed calls, by error.',
      counts(() => metrics.errors),
    ),
    counter(
      'switchboard_refused_total',
      'Requests that were refused because they did not include a known key.',
      counts(() => metrics.refusals),
    ),
    histogram(
      'switchboard_call_duration_seconds',
      'Duration of calls, from the first byte of the request to the last byte of the response.',
      'whole',
    ),
    histogram(
      'switchboard_call_first_byte_seconds',
      'Time from the start of a call to the first byte of its response, where the gateway saw it.',
      'firstByte',
    ),
    counter('switchboard_tool_calls_total', 'Completed tool calls, by server, tool, and outcome.', () =>
      [...metrics.tools].flatMap((it) => outcomes(toolLabels(it.name), it)),
    ),
    counter('switchboard_model_calls_total', 'Completed calls to models, by model and outcome.', () =>
      [...metrics.models].flatMap((it) => outcomes({ model: it.name }, it)),
    ),
    counter('switchboard_model_tokens_total', 'Tokens of calls to models, by model and direction.', () =>
      [...metrics.models].flatMap((it): readonly Value[] => [
        [{ model: it.name, type: 'input' }, it.input],
        [{ model: it.name, type: 'output' }, it.output],
      ]),
    ),
  ];
}

const valuesOf = (labels: Value[0], { counts, sum }: Histogram) => histogramValues(labels, durationBounds, counts, sum);

/** @param name `{server}/{tool}`, or `other` */
function toolLabels(name: string): Value[0] {
  const slash = name.indexOf('/');
  return slash === -1 ? { server: name, tool: name } : { server: name.slice(0, slash), tool: name.slice(slash + 1) };
}
