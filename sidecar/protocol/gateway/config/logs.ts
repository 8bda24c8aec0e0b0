import * as z from 'zod';
import { SecretRef } from './secretRef.ts';

/** Of log lines, by name: numbers, as most tools that read JSON lines know them. */
export const logLevels = { debug: 20, info: 30, warn: 40, error: 50 } as const;
export const LogLevelName = z.enum(['debug', 'info', 'warn', 'error']);
export type LogLevelName = z.infer<typeof LogLevelName>;

/** One line of the gateway's log, as JSON. */
export const LogLine = z
  .object({
    level: z.literal(Object.values(logLevels)).describe('Severity: 20 debug, 30 information, 40 warning, 50 error.'),
    time: z.iso.datetime().describe('When the line was written: RFC 3339, UTC, with milliseconds.'),
    msg: z.string().min(1).describe('One or two sentences in English that say what happened.'),
    id: z.string().optional().describe('ID of an internal error. The caller got the same ID.'),
    thrown: z
      .unknown()
      .optional()
      .describe(
        'The error behind the line. An expected one has message, and code if the system gave one. A bug has stack. cause is the error behind it.',
      ),
    server: z.string().optional().describe('Name of the MCP server that the line is about.'),
    agent: z.string().optional().describe('ID of the A2A agent that the line is about.'),
    method: z.string().optional().describe('MCP method that the line is about.'),
    path: z.string().optional().describe('Path of the request, or of a member of the configuration.'),
    requestId: z.string().optional().describe('ID of the request, as in the x-gateway-call-id header of its response.'),
    reason: z.string().optional().describe('Why something failed, in words.'),
  })
  .catchall(z.unknown());
export type LogLine = z.infer<typeof LogLine>;

const Endpoint = z.url({ protocol: /^https?$/, error: 'must be a URL such as https://logs.example.com' });
const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/, 'must be a valid header name')
  .toLowerCase();
const sent = {
  headers: z
    .record(HeaderName, SecretRef)
    .default({})
    .describe('Headers that are sent with each request, such as a credential. Values are references to secrets.'),
  allow_private_network: z
    .boolean()
    .default(false)
    .describe('Allow an address on this machine or a private network, and plain HTTP.'),
};

export const LogsConfig = z
  .strictObject({
    level: LogLevelName.default('info').describe('Least severe lines that are written.'),
    file: z
      .strictObject({
        path: z.string().min(1).max(4096).describe('Path to the log file, relative to this file.'),
        max_bytes: z
          .int()
          .min(4_096)
          .default(50_000_000)
          .describe('Maximum size of the file, in bytes. Before it is exceeded, a new file is begun.'),
        daily: z.boolean().default(true).describe('Begin a new file each day (UTC).'),
        keep: z.int().min(0).max(10_000).default(14).describe('How many earlier files to keep.'),
        keep_days: z
          .int()
          .min(0)
          .max(36_500)
          .default(0)
          .describe('How many days to keep earlier files. 0 does not limit their age.'),
        gzip: z.boolean().default(false).describe('Compress earlier files.'),
      })
      .optional()
      .describe('Writes the log to a file. Each replica must have its own file.'),
    otlp: z
      .strictObject({
        endpoint: Endpoint.describe(
          'Base URL of an OpenTelemetry collector that accepts OTLP over HTTP. Lines are sent to v1/logs below it, in JSON.',
        ),
        ...sent,
      })
      .optional()
      .describe('Sends the log to an OpenTelemetry collector.'),
    http: z
      .strictObject({
        url: Endpoint.describe('URL to which batches of lines are posted as application/x-ndjson.'),
        ...sent,
      })
      .optional()
      .describe('Sends the log to an HTTP endpoint as JSON lines.'),
  })
  .prefault({})
  .describe(
    'Where a standalone gateway writes its log, in addition to standard error. Lines that a destination does not accept in time are dropped and counted in the metrics. Read only at startup.',
  );
export type LogsConfig = z.infer<typeof LogsConfig>;
