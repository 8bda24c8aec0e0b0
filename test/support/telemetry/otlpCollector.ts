import { createServer, type IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { type Listening, listen } from '../backends/listen.ts';

interface Structured {
  readonly [key: string]: Value;
}
type Value = string | number | boolean | Value[] | Structured;
const Value: z.ZodType<Value> = z.union([
  z.object({ stringValue: z.string() }).transform((it) => it.stringValue),
  z.object({ intValue: z.union([z.string(), z.number()]) }).transform((it) => Number(it.intValue)),
  z.object({ doubleValue: z.number() }).transform((it) => it.doubleValue),
  z.object({ boolValue: z.boolean() }).transform((it) => it.boolValue),
  z
    .object({
      get kvlistValue() {
        return z.object({ values: Attributes });
      },
    })
    .transform((it) => it.kvlistValue.values),
]);
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, value])));
const Resource = z.object({ attributes: Attributes });

const Span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  /** 2 for a server, 3 for a client. */
  kind: z.int(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: Attributes,
  status: z.object({ code: z.int(), message: z.string().optional() }),
});
export type Span = z.infer<typeof Span>;
const Traces = z.object({
  resourceSpans: z.array(
    z.object({ resource: Resource, scopeSpans: z.array(z.object({ schemaUrl: z.string(), spans: z.array(Span) })) }),
  ),
});

const Point = z.object({
  attributes: Attributes,
  asDouble: z.number().optional(),
  asInt: z.union([z.string(), z.number()]).optional(),
  count: z.union([z.string(), z.number()]).optional(),
  sum: z.number().optional(),
});
const Data = z.object({ dataPoints: z.array(Point) });
const Measured = z.object({
  name: z.string(),
  unit: z.string().optional(),
  sum: Data.optional(),
  histogram: Data.optional(),
});
export type Measured = z.infer<typeof Measured>;
const Metrics = z.object({
  resourceMetrics: z.array(z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(Measured) })) })),
});

const LogRecord = z.object({
  timeUnixNano: z.string().regex(/^\d{19}$/),
  severityNumber: z.int(),
  severityText: z.string(),
  body: z.object({ stringValue: z.string() }).transform((it) => it.stringValue),
  attributes: Attributes,
});
export type LogRecord = z.infer<typeof LogRecord>;
const Logs = z.object({
  resourceLogs: z.array(
    z.object({ resource: Resource, scopeLogs: z.array(z.object({ logRecords: z.array(LogRecord) })) }),
  ),
});

export interface OtlpCollector extends Listening {
  readonly spans: Span[];
  readonly logs: LogRecord[];
  /** As of the last export. */
  metrics: readonly Measured[];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** What it answers. Default 200. */
  status: number;
}

/** A collector for OTLP over HTTP, in JSON, that keeps what it is sent. What it cannot read is answered with 400. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      collector.requests.push({ path, headers });
      try {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        if (collector.status === 200) keep(path, body);
        response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
      } catch (thrown) {
        response.writeHead(400).end(String(thrown));
      }
    });
  });
  function keep(path: string, body: unknown): void {
    if (path === '/v1/traces')
      for (const { scopeSpans } of Traces.parse(body).resourceSpans)
        for (const it of scopeSpans) collector.spans.push(...it.spans);
    else if (path === '/v1/metrics')
      collector.metrics = Metrics.parse(body).resourceMetrics.flatMap((it) =>
        it.scopeMetrics.flatMap(({ metrics }) => metrics),
      );
    else if (path === '/v1/logs')
      for (const { scopeLogs } of Logs.parse(body).resourceLogs)
        for (const it of scopeLogs) collector.logs.push(...it.logRecords);
    else throw new Error(`no such path: ${path}`);
  }
  const collector: OtlpCollector = {
    ...(await listen(server)),
    spans: [],
    logs: [],
    metrics: [],
    requests: [],
    status: 200,
  };
  return collector;
}
