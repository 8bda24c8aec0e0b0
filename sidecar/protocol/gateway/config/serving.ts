import * as z from 'zod';
import { isOwnMethod } from '../mcpMethods.ts';
import { SecretRef } from './secretRef.ts';

const File = z.string().min(1).max(4096);
const WebAddress = z.url({ protocol: /^https?$/, error: 'must be a URL such as https://gateway.example.com' });
/** The gateway reads it exactly at its start; this catches names and typing errors while somebody writes. */
const Address = z
  .string()
  .regex(
    /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)(?:\/\d{1,3})?$/,
    'must be an IP address or a network, such as 10.0.0.7 or 10.0.0.0/8',
  );
const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/, 'must be a valid header name')
  .toLowerCase();

/** Where the gateway listens and whom it believes. */
export const servingShape = {
  listen: z
    .strictObject({
      host: z
        .string()
        .min(1)
        .max(256)
        .default('127.0.0.1')
        .describe('Address to listen on. The default accepts connections from this machine only.'),
      port: z.int().min(0).max(65_535).default(0).describe('Port to listen on. 0 selects a free port.'),
      tls: z
        .strictObject({
          cert_file: File.describe('Path to the PEM file that contains the certificate and its chain.'),
          key_file: File.describe('Path to the PEM file that contains the private key.'),
        })
        .optional()
        .describe('Certificate and key for HTTPS. Without them, the gateway serves HTTP.'),
      allow_insecure: z
        .boolean()
        .default(false)
        .describe(
          'Accept connections from other machines even if tls is not set. Use this only behind a proxy that terminates TLS.',
        ),
    })
    .prefault({})
    .describe('Where the gateway listens. Read only at startup.'),
  public_url: WebAddress.optional().describe(
    'URL that callers use if the gateway is behind a proxy. It must not contain a query or fragment.',
  ),
  trusted_proxies: z
    .array(Address)
    .default([])
    .describe(
      'Addresses or networks of proxies whose X-Forwarded-* headers are trusted, for example 10.0.0.7 or 10.0.0.0/8.',
    ),
  allowed_hosts: z
    .array(z.string().min(1).max(256))
    .default([])
    .describe("Values allowed in the Host header, in addition to this machine's names and the hostname in public_url."),
  allowed_origins: z
    .array(z.url({ error: 'must be an origin such as https://app.example.com' }))
    .default([])
    .describe('Origins of web pages that may call the gateway from a browser.'),
  trusted_redirects: z
    .array(z.url({ error: 'must be a URL such as editor://vendor.extension/callback' }).max(1_024))
    .default([])
    .describe(
      'Redirect URLs that MCP clients may use after sign-in, in addition to https URLs and URLs on this machine. They must match exactly.',
    ),
  caller: z
    .strictObject({
      subscription_key_headers: z
        .array(HeaderName)
        .default(['ocp-apim-subscription-key'])
        .describe('Headers that may contain the virtual key, for use with API management products.'),
      end_user_header: HeaderName.optional().describe('Custom header that identifies the end user.'),
    })
    .prefault({})
    .describe('Headers that identify callers, in addition to the standard ones.'),
  limits: z
    .strictObject({
      body_bytes: z.int().min(1_024).default(10_000_000).describe('Maximum size of a request body, in bytes.'),
      response_bytes: z
        .int()
        .min(1_024)
        .default(32_000_000)
        .describe('Maximum size of a backend response held in memory, in bytes.'),
      timeout_s: z
        .number()
        .positive()
        .max(86_400)
        .default(60)
        .describe(
          'How many seconds a call can go without data from a backend before it fails, if the backend does not have its own timeout.',
        ),
      list_timeout_s: z
        .number()
        .positive()
        .max(3_600)
        .default(10)
        .describe('Timeout per server, in seconds, when lists from several servers are merged.'),
      session_idle_s: z
        .number()
        .positive()
        .default(1_800)
        .describe('How many seconds an MCP session can be idle before it expires.'),
      sessions_per_caller: z.int().positive().default(256).describe('Maximum number of MCP sessions per caller.'),
      disconnected_s: z
        .number()
        .positive()
        .max(86_400)
        .default(300)
        .describe(
          'How many seconds an MCP call continues after its connection breaks, and how long its messages are kept for the client. After that, the call is canceled.',
        ),
      disconnected_bytes: z
        .int()
        .min(1_024)
        .default(4_000_000)
        .describe(
          'Maximum size of the messages that a replica keeps for the clients of an MCP session, in bytes. A call that sends more without a connection is canceled.',
        ),
      disconnected_calls: z
        .int()
        .positive()
        .max(10_000)
        .default(8)
        .describe(
          'Maximum number of MCP calls per key and replica that continue without a connection. When another call loses its connection, the one that lost it first is canceled.',
        ),
      page_size: z
        .int()
        .positive()
        .max(10_000)
        .default(256)
        .describe('Number of tools, resources, or prompts per page in a merged list.'),
    })
    .prefault({})
    .describe('Size, time, and count limits.'),
  mcp_methods: z
    .record(
      z
        .string()
        .max(256)
        .regex(/^[A-Za-z][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.-]+)+$/, 'must be a method name such as "acme/search"')
        .refine((it) => !isOwnMethod(it), 'is a standard MCP method, which the gateway already supports'),
      z.strictObject({
        params: z
          .array(z.string().min(1).max(256))
          .max(256)
          .default([])
          .describe(
            'Members that params may contain. A member that differs from one of them only in case or in the use of "_" or "-" is refused.',
          ),
      }),
    )
    .default({})
    .describe(
      'Vendor methods, by name, that clients may use in addition to MCP methods, for example acme/search. These methods work only at addresses that serve a single server, and tool rules do not apply to them. Methods whose names begin with notifications/ are notifications. Any other method gets a "method not found" error. Read only at startup.',
    ),
  throttle: z
    .strictObject({
      wrong_keys_per_minute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe(
          'Maximum number of unknown keys that one address may send per minute. Further requests get status 429 unless this replica has already accepted their keys. 0 means no limit.',
        ),
      registrations_per_minute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe(
          'Maximum number of OAuth clients that one address may register per minute. Further registrations get status 429. 0 means no limit.',
        ),
    })
    .prefault({})
    .describe(
      'Limits on attempts from one address, per replica. Behind a proxy that is not in trusted_proxies, all callers share one address. The embedded gateway ignores these limits. Read only at startup.',
    ),
  activity: z
    .strictObject({
      keep_days: z
        .int()
        .min(0)
        .max(36_500)
        .default(90)
        .describe('How many days to keep call log entries. 0 keeps them indefinitely. Daily totals are always kept.'),
      content: z
        .strictObject({
          keep_days: z.int().min(1).max(3_650).default(7).describe('How many days to keep requests and responses.'),
          max_bytes: z
            .int()
            .min(256)
            .max(1_048_576)
            .default(16_384)
            .describe('Maximum size of a stored request, and of a stored response, in bytes. Longer ones are cut.'),
          redact_personal_data: z
            .boolean()
            .default(true)
            .describe(
              'Remove email addresses, phone numbers, IBANs, and credit card numbers. Secrets are always removed.',
            ),
        })
        .optional()
        .describe(
          'Stores the request and the response of each call, without secrets. By default, neither is stored. Keys and teams with no_content_log are left out. {} turns this on with its defaults.',
        ),
    })
    .prefault({})
    .describe('Call log settings. Read only at startup.'),
  telemetry: z
    .strictObject({
      otlp: z
        .strictObject({
          endpoint: WebAddress.describe(
            'Base URL of an OpenTelemetry collector that accepts OTLP over HTTP, such as http://collector:4318.',
          ),
          headers: z
            .record(HeaderName, SecretRef)
            .default({})
            .describe(
              'Headers that are sent to the collector, such as its credential. Values are references to secrets.',
            ),
          traces: z.boolean().default(true).describe('Whether traces of calls are exported.'),
          metrics: z.boolean().default(true).describe('Whether metrics of calls are exported.'),
          sample_ratio: z
            .number()
            .min(0)
            .max(1)
            .default(1)
            .describe(
              'Proportion of traces that are exported, from 0 to 1. If a caller sends traceparent, its sampled flag decides instead.',
            ),
          interval_s: z.int().min(1).max(3_600).default(60).describe('Seconds between two exports of metrics.'),
        })
        .optional()
        .describe(
          'Exports traces and metrics of calls to an OpenTelemetry collector. By default, nothing is exported.',
        ),
    })
    .prefault({})
    .describe('What a standalone gateway sends to monitoring systems. Read only at startup.'),
  shutdown: z
    .strictObject({
      leave_s: z
        .number()
        .min(0)
        .max(3_600)
        .default(5)
        .describe(
          "How many seconds after SIGTERM the gateway continues to serve all calls while /healthz and /readyz return 503. Choose a value longer than your load balancer's health check interval.",
        ),
      grace_s: z
        .number()
        .min(0)
        .max(86_400)
        .default(20)
        .describe('How many seconds running calls are given to finish after leave_s.'),
    })
    .prefault({})
    .describe('How the gateway shuts down. Read only at startup.'),
  stdio: z
    .strictObject({
      allowed_commands: z
        .array(z.string().min(1).max(4096))
        .default([])
        .describe('Names or absolute paths of programs that MCP servers with transport stdio may run.'),
      max_processes: z
        .int()
        .min(1)
        .max(10_000)
        .default(64)
        .describe(
          'Maximum number of processes of MCP servers on each replica. When it is reached, idle processes are ended to make room.',
        ),
      idle_s: z
        .number()
        .positive()
        .max(86_400)
        .default(300)
        .describe('How many seconds a process can go without a call or a listening client before it is ended.'),
    })
    .prefault({})
    .describe('MCP servers that run as local processes.'),
  cloud_agents: z
    .strictObject({
      upstream_url: WebAddress.describe('Base URL of the cloud-agents service.'),
      prefix: z
        .string()
        .regex(
          /^[a-z][a-z0-9_-]{0,63}$/,
          'must start with a lowercase letter and may contain only lowercase letters, digits, "_", and "-"',
        )
        .describe(
          'Provider name, used as the prefix in classifications such as "<prefix>/<prefix>:agent:create". It may contain lowercase letters, digits, "_", and "-".',
        ),
      credential: SecretRef.optional().describe(
        'API key for the service. Default: the credential registered for the provider.',
      ),
    })
    .optional()
    .describe('The cloud-agents service that /cloudagents forwards to.'),
};
