import * as z from 'zod';
import { schemes } from './uris.ts';

/** Where clients follow the host's log: an RFC 6570 template, offered at the handshake. */
export const LOGS_TEMPLATE = `${schemes.telemetry}:/logs{?level}`;

/** Severity numbers of OpenTelemetry, by the name that a subscriber gives as the least it wants. */
export const severities = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;
export type Severity = keyof typeof severities;

/** The least severity number that a subscriber of `uri` wants, 0 for all; `undefined` for what is no log of ours. */
export function parseLogsUri(uri: string): number | undefined {
  const found = /^host-otlp:\/logs(?:(?:\?level=|\/)(\w+))?$/.exec(uri);
  if (!found) return undefined;
  const level = found[1]?.toLowerCase();
  return level === undefined ? 0 : new Map<string, number>(Object.entries(severities)).get(level);
}

/** One value of OTLP/JSON; 64-bit integers are text there. */
const AnyValue = z.looseObject({
  stringValue: z.string().exactOptional(),
  boolValue: z.boolean().exactOptional(),
  intValue: z.string().exactOptional(),
  doubleValue: z.number().exactOptional(),
});
const Attributes = z.array(z.looseObject({ key: z.string(), value: AnyValue }));
const LogRecord = z.looseObject({
  /** Nanoseconds since 1970, as text. */
  timeUnixNano: z.string(),
  severityNumber: z.int(),
  severityText: z.string(),
  body: AnyValue,
  attributes: Attributes,
});
export type LogRecord = z.infer<typeof LogRecord>;

/** The body of an OTLP/JSON log export, as a collector takes it. */
export const ExportLogs = z.looseObject({
  resourceLogs: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: Attributes }),
      scopeLogs: z.array(z.looseObject({ scope: z.looseObject({ name: z.string() }), logRecords: z.array(LogRecord) })),
    }),
  ),
});
export type ExportLogs = z.infer<typeof ExportLogs>;
