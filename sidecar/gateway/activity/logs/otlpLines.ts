import { type LogLine, logLevels } from '../../../protocol/gateway/config/logs.ts';

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly doubleValue: number }
  | { readonly intValue: string }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } }
  | { readonly kvlistValue: { readonly values: readonly KeyValue[] } };
interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** OpenTelemetry's numbers of severities. */
const severities: Readonly<Record<number, { readonly number: number; readonly text: string }>> = {
  [logLevels.debug]: { number: 5, text: 'DEBUG' },
  [logLevels.info]: { number: 9, text: 'INFO' },
  [logLevels.warn]: { number: 13, text: 'WARN' },
  [logLevels.error]: { number: 17, text: 'ERROR' },
};

/** An `ExportLogsServiceRequest` of OTLP/HTTP in JSON. @param lines JSON */
export function otlpLogs(lines: readonly string[], version: string): string {
  const resource = { 'service.name': 'switchboard-gateway', 'service.version': version };
  const logRecords = lines.map((line) => recordOf(JSON.parse(line) as LogLine));
  return JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeLogs: [{ scope: { name: 'switchboard', version }, logRecords }],
      },
    ],
  });
}

function recordOf({ time, level, msg, ...facts }: LogLine) {
  const nanoseconds = `${Date.parse(time)}000000`;
  const { number, text } = severities[level] ?? { number: 0, text: '' };
  return {
    timeUnixNano: nanoseconds,
    observedTimeUnixNano: nanoseconds,
    severityNumber: number,
    severityText: text,
    body: { stringValue: msg },
    attributes: attributesOf(facts),
  };
}

const attributesOf = (members: object): readonly KeyValue[] =>
  Object.entries(members).flatMap(([key, it]: [string, unknown]) =>
    it === null || it === undefined ? [] : [{ key, value: toValue(it) }],
  );

function toValue(it: unknown): AnyValue {
  if (typeof it === 'boolean') return { boolValue: it };
  if (typeof it === 'number') return Number.isSafeInteger(it) ? { intValue: `${it}` } : { doubleValue: it };
  if (Array.isArray(it)) return { arrayValue: { values: it.map(toValue) } };
  if (typeof it === 'object' && it !== null) return { kvlistValue: { values: attributesOf(it) } };
  return { stringValue: String(it) };
}
