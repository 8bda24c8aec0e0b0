import { DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BatchSpanProcessor, type IdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Log } from '../../../platform/logger.ts';
import type { Surface } from '../../routing/route.ts';
import type { EndedCall, EndedTrace } from '../../storage/activity/endedCall.ts';
import type { CallMetrics } from '../callMetrics.ts';
import { type Attributes, boundaries, describe, metricNames, SCHEMA_URL, spanAttributes } from './conventions.ts';
import type { OtlpOptions } from './otlpOptions.ts';

export interface OtlpDeps extends OtlpOptions {
  readonly version: string;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly counted: CallMetrics;
  readonly surfaceOf: (template: string) => Surface;
}

export interface Otlp {
  /** Never waits and never throws: what the collector does not take in time is dropped. */
  ended(call: EndedCall): void;
  /** Sends what has not been sent yet. */
  close(): Promise<void>;
}

/** Spans and measurements that wait for an export. */
const MAX_WAITING = 4_096;
const EXPORT_TIMEOUT_MS = 10_000;
const SPANS_EVERY_MS = 1_000;
const TOLD_EVERY_MS = 60_000;

type Part = (call: EndedCall, surface: Surface) => void;
interface Opened {
  readonly ended: Part;
  close(): Promise<void>;
}

/** Sends a trace and measurements of each call to a collector, after the call has ended. */
export function openOtlp(deps: OtlpDeps): Otlp {
  tellTroubles(deps);
  const opened = [...(deps.traces ? [openSpans(deps)] : []), ...(deps.metrics ? [openMeasurements(deps)] : [])];
  return {
    ended(call) {
      const surface = deps.surfaceOf(call.facts.of.endpoint);
      for (const it of opened) it.ended(call, surface);
    },
    async close() {
      await Promise.allSettled(opened.map((it) => it.close()));
    },
  };
}

const resourceOf = ({ version }: OtlpDeps) =>
  resourceFromAttributes({ 'service.name': 'switchboard-gateway', 'service.version': version });

const exporterOf = ({ endpoint, headers }: OtlpDeps, signal: 'traces' | 'metrics') => ({
  url: `${endpoint.replace(/\/+$/, '')}/v1/${signal}`,
  headers: { ...headers },
  timeoutMillis: EXPORT_TIMEOUT_MS,
});

/**
 * The log gets what the exporters complain of, once a minute, without their objects: those hold addresses and credentials.
 */
function tellTroubles({ log, monotonicMs }: OtlpDeps): void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  const tell = (reason: string) => {
    if (monotonicMs() - toldAtMs < TOLD_EVERY_MS) return;
    toldAtMs = monotonicMs();
    log.warn({ reason }, 'Telemetry could not be exported. Calls are not affected.');
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    {
      logLevel: DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    },
  );
}

/** The IDs were given to the caller and to backends while the call ran. */
class GivenIds implements IdGenerator {
  traceId = '';
  spanId = '';
  generateTraceId(): string {
    return this.traceId;
  }
  generateSpanId(): string {
    return this.spanId;
  }
}

function openSpans(deps: OtlpDeps): Opened {
  const ids = new GivenIds();
  const exporter = new OTLPTraceExporter(exporterOf(deps, 'traces'));
  const provider = new TracerProvider({
    resource: resourceOf(deps),
    sampler: new AlwaysOnSampler(), // what is not sampled gets no span at all
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, scheduledDelayMillis: SPANS_EVERY_MS }),
    ],
  });
  const tracer = provider.getTracer('switchboard', deps.version, { schemaUrl: SCHEMA_URL });

  /** A span of a call that is over. */
  function span(it: Span): void {
    ids.traceId = it.trace.traceId;
    ids.spanId = it.spanId;
    const { parent: spanId } = it;
    const traceFlags = TraceFlags.SAMPLED;
    const remote = {
      traceId: it.trace.traceId,
      spanId: spanId ?? '',
      traceFlags,
      isRemote: it.kind === SpanKind.SERVER,
    };
    const context = spanId === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
    const { name, kind, attributes, startMs: startTime } = it;
    const made = tracer.startSpan(name, { kind, startTime, attributes }, context);
    // What servers answer can hold secrets: the span says the code alone.
    if (it.error !== undefined) made.setStatus({ code: SpanStatusCode.ERROR, message: it.error });
    made.end(it.endMs);
  }

  return {
    ended(call, surface) {
      const { trace: it, startedMs, request_duration_ms, status, error_code } = call;
      if (!it?.isSampled) return;
      const { name, attributes } = describe(call, surface);
      const endMs = startedMs + request_duration_ms;
      const error = status === 'failure' ? (error_code ?? '') : undefined;
      const all = { ...attributes, ...spanAttributes(call) };
      const common = { trace: it, endMs, error };
      span({
        ...common,
        name,
        spanId: it.spanId,
        parent: it.parentSpanId,
        kind: SpanKind.SERVER,
        startMs: startedMs,
        attributes: all,
      });
      if (it.askedAfterMs === undefined) return;
      const startMs = Math.min(endMs, startedMs + it.askedAfterMs);
      span({ ...common, name, spanId: it.clientSpanId, parent: it.spanId, kind: SpanKind.CLIENT, startMs, attributes });
    },
    close: () => provider.shutdown(),
  };
}

interface Span {
  readonly trace: EndedTrace;
  readonly name: string;
  readonly spanId: string;
  readonly parent: string | undefined;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly error: string | undefined;
}

/** The SDK sums up beyond 2,000 sets of attributes, so that callers cannot make measurements grow without an end. */
function openMeasurements(deps: OtlpDeps): Opened {
  const exporter = new OTLPMetricExporter(exporterOf(deps, 'metrics'));
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: deps.intervalMs,
    exportTimeoutMillis: Math.min(EXPORT_TIMEOUT_MS, deps.intervalMs),
  });
  const provider = new MeterProvider({ resource: resourceOf(deps), readers: [reader] });
  const meter = provider.getMeter('switchboard', deps.version, { schemaUrl: SCHEMA_URL });
  const histogram = (name: string, unit: string, explicitBucketBoundaries: readonly number[]) =>
    meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries: [...explicitBucketBoundaries] } });
  const mcpDuration = histogram(metricNames.mcpDuration, 's', boundaries.mcpDuration);
  const modelDuration = histogram(metricNames.modelDuration, 's', boundaries.modelDuration);
  const tokens = histogram(metricNames.tokens, '{token}', boundaries.tokens);
  meter.createObservableCounter(metricNames.calls, { unit: '{call}' }).addCallback((result) => {
    for (const { count, ...labels } of deps.counted.calls) result.observe(count, { ...labels });
  });
  return {
    ended(call, surface) {
      const seconds = call.request_duration_ms / 1_000;
      if (surface === 'mcp' || surface === 'rest') mcpDuration.record(seconds, describe(call, surface).attributes);
      if (surface !== 'models' && surface !== 'a2a') return;
      const { attributes } = describe(call, surface);
      modelDuration.record(seconds, attributes);
      const add = (type: string, count: number) =>
        count > 0 && tokens.record(count, { ...attributes, 'gen_ai.token.type': type });
      add('input', call.prompt_tokens);
      add('output', call.completion_tokens);
    },
    close: () => provider.shutdown(),
  };
}
