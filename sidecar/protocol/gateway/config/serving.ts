import * as z from 'zod';
import { isOwnMethod } from '../mcpMethods.ts';
import { SecretRef } from './secretRef.ts';

const File = z.string().min(1).max(4096);
const WebAddress = z.url({ protocol: /^https?$/, error: 'must be an address as https://gateway.example.com' });
/** The gateway reads it exactly at its start; this catches names and typing errors while somebody writes. */
const Address = z
  .string()
  .regex(
    /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)(?:\/\d{1,3})?$/,
    'must be an address or a network, as 10.0.0.7 or 10.0.0.0/8',
  );
const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/, 'must be the name of a header')
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
          cert_file: File.describe('Path of the PEM file with the certificate and its chain.'),
          key_file: File.describe('Path of the PEM file with the private key.'),
        })
        .optional()
        .describe('Certificate and key for HTTPS. Without them, the gateway serves HTTP.'),
      allow_insecure: z
        .boolean()
        .default(false)
        .describe(
          'Accept connections from other machines without tls. Use it only behind a proxy that terminates TLS.',
        ),
    })
    .prefault({})
    .describe('Where the gateway listens. Read only at startup.'),
  public_url: WebAddress.optional().describe(
    'URL that callers use if the gateway is behind a proxy. It must not have a query or fragment.',
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
    .describe('Values that the Host header may have, in addition to the names of this machine and of public_url.'),
  allowed_origins: z
    .array(z.url({ error: 'must be an origin as https://app.example.com' }))
    .default([])
    .describe('Origins of web pages that may call the gateway from a browser.'),
  trusted_redirects: z
    .array(z.url({ error: 'must be an address as editor://vendor.extension/callback' }).max(1_024))
    .default([])
    .describe(
      'Redirect URLs that MCP clients may use after a sign-in, in addition to https URLs and this machine. They must match exactly.',
    ),
  caller: z
    .strictObject({
      subscription_key_headers: z
        .array(HeaderName)
        .default(['ocp-apim-subscription-key'])
        .describe('Headers of API management products that may contain the virtual key.'),
      end_user_header: HeaderName.optional().describe('Your own header that identifies the end user.'),
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
        .describe('Maximum size of a backend response that is held in memory, in bytes.'),
      timeout_s: z
        .number()
        .positive()
        .max(86_400)
        .default(60)
        .describe('Seconds without data from a backend before a call fails, if the backend has no timeout of its own.'),
      list_timeout_s: z
        .number()
        .positive()
        .max(3_600)
        .default(10)
        .describe('Seconds that each server has to answer when the lists of several servers are merged.'),
      session_idle_s: z
        .number()
        .positive()
        .default(1_800)
        .describe('Seconds after which an unused MCP session expires.'),
      sessions_per_caller: z.int().positive().default(256).describe('Maximum number of MCP sessions per caller.'),
      page_size: z
        .int()
        .positive()
        .max(10_000)
        .default(256)
        .describe('Number of tools, resources or prompts on one page of a merged list.'),
    })
    .prefault({})
    .describe('Limits on sizes, times and counts.'),
  mcp_methods: z
    .record(
      z
        .string()
        .max(256)
        .regex(/^[A-Za-z][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.-]+)+$/, 'must be a method, as "acme/search"')
        .refine((it) => !isOwnMethod(it), 'is a method of MCP, which the gateway knows'),
      z.strictObject({
        params: z
          .array(z.string().min(1).max(256))
          .max(256)
          .default([])
          .describe(
            'Members that params may have. A member that differs from one of them only in case, "_" or "-" is refused.',
          ),
      }),
    )
    .default({})
    .describe(
      'Vendor methods by name that clients may use in addition to those of MCP, for example acme/search. They work only on an address with one server, and tool rules do not apply to them. Names that begin with notifications/ are notifications. Any other method is answered with "method not found". Read only at startup.',
    ),
  throttle: z
    .strictObject({
      wrong_keys_per_minute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe(
          'Unknown keys that one address may send per minute. Further requests get status 429, except with keys that this replica has already accepted. 0: no limit.',
        ),
      registrations_per_minute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe(
          'OAuth clients that one address may register per minute. Further registrations get status 429. 0: no limit.',
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
        .describe(
          'Days to keep the log entry of each call. 0 keeps entries indefinitely. Daily totals are always kept.',
        ),
    })
    .prefault({})
    .describe('The log of calls. Read only at startup.'),
  shutdown: z
    .strictObject({
      leave_s: z
        .number()
        .min(0)
        .max(3_600)
        .default(5)
        .describe(
          'Seconds after SIGTERM during which the gateway still serves all calls while /healthz returns 503. Set it longer than the check interval of your load balancer.',
        ),
      grace_s: z
        .number()
        .min(0)
        .max(86_400)
        .default(20)
        .describe('Seconds after leave_s in which running calls can finish.'),
    })
    .prefault({})
    .describe('How the gateway shuts down. Read only at startup.'),
  stdio: z
    .strictObject({
      allowed_commands: z
        .array(z.string().min(1).max(4096))
        .default([])
        .describe('Programs that MCP servers with transport stdio may run: names or absolute paths.'),
    })
    .prefault({})
    .describe('MCP servers that run as local processes.'),
  cloud_agents: z
    .strictObject({
      upstream_url: WebAddress.describe('Base URL of the cloud-agents service.'),
      prefix: z
        .string()
        .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'may hold small letters, digits, "_" and "-"')
        .describe(
          'Name of the provider, which begins classifications such as "<prefix>/<prefix>:agent:create". Lowercase letters, digits, "_" and "-".',
        ),
      credential: SecretRef.optional().describe(
        'API key for the service. Default: the credential registered for the provider.',
      ),
    })
    .optional()
    .describe('The cloud-agents service that /cloudagents forwards to.'),
};
