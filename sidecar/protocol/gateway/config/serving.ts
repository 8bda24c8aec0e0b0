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
        .describe('Address to listen on. Default: this machine only.'),
      port: z.int().min(0).max(65_535).default(0).describe('Port to listen on. 0 selects a free port.'),
      tls: z
        .strictObject({
          cert_file: File.describe('PEM file with the certificate and its chain.'),
          key_file: File.describe('PEM file with its private key.'),
        })
        .optional()
        .describe('Serve HTTPS.'),
      allow_insecure: z
        .boolean()
        .default(false)
        .describe(
          'Allow listening on other addresses without TLS because a proxy in front of the gateway terminates TLS.',
        ),
    })
    .prefault({})
    .describe('Where the gateway listens. Read at start only.'),
  public_url: WebAddress.optional().describe('The address callers use if the gateway is behind a proxy.'),
  trusted_proxies: z
    .array(Address)
    .default([])
    .describe('Addresses or networks of proxies whose X-Forwarded-* headers are trusted.'),
  allowed_hosts: z
    .array(z.string().min(1).max(256))
    .default([])
    .describe(
      'Additional names allowed in the Host header. Names of this machine and of public_url are always allowed.',
    ),
  allowed_origins: z
    .array(z.url({ error: 'must be an origin as https://app.example.com' }))
    .default([])
    .describe('Origins of web pages that can call the gateway from a browser.'),
  trusted_redirects: z
    .array(z.url({ error: 'must be an address as editor://vendor.extension/callback' }).max(1_024))
    .default([])
    .describe(
      'Additional redirect addresses for MCP clients after sign-in, compared exactly. Addresses with https or on this machine are always allowed.',
    ),
  caller: z
    .strictObject({
      subscription_key_headers: z
        .array(HeaderName)
        .default(['ocp-apim-subscription-key'])
        .describe('Headers, used by API-management products, that can carry the virtual key.'),
      end_user_header: HeaderName.optional().describe('Custom header that identifies the end user.'),
    })
    .prefault({})
    .describe('Additional headers that identify callers.'),
  limits: z
    .strictObject({
      body_bytes: z.int().min(1_024).default(10_000_000).describe('Maximum size of a request body, in bytes.'),
      response_bytes: z
        .int()
        .min(1_024)
        .default(32_000_000)
        .describe('Maximum size of a backend response that is buffered in memory, in bytes.'),
      timeout_s: z
        .number()
        .positive()
        .max(86_400)
        .default(60)
        .describe('Seconds without data from a backend before a call fails. Applies to backends that set no timeout.'),
      list_timeout_s: z
        .number()
        .positive()
        .max(3_600)
        .default(10)
        .describe('Seconds to wait for each server when several are listed.'),
      session_idle_s: z.number().positive().default(1_800).describe('Seconds until an idle MCP session expires.'),
      sessions_per_caller: z.int().positive().default(256).describe('Maximum number of MCP sessions per caller.'),
      page_size: z
        .int()
        .positive()
        .max(10_000)
        .default(256)
        .describe('Maximum number of tools, resources or prompts per page of a merged list.'),
    })
    .prefault({})
    .describe('Size and time limits.'),
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
            'Known members of params. A member that differs from a known one only in case, "_" or "-" is refused.',
          ),
      }),
    )
    .default({})
    .describe(
      'Vendor methods that clients can call in addition to those of MCP, by name. They are forwarded only on the address of a single server, and no tool rule applies to them. Names that begin with notifications/ are notifications. All other methods get "method not found". Read at start only.',
    ),
  throttle: z
    .strictObject({
      wrong_keys_per_minute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe(
          'Maximum number of unknown keys per address and minute. Further attempts get 429. Keys that this replica has already accepted continue to work from that address. 0: no limit.',
        ),
      registrations_per_minute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe(
          'Maximum number of OAuth client registrations per address and minute. Further attempts get 429. 0: no limit.',
        ),
    })
    .prefault({})
    .describe(
      'Limits on failed attempts per client address, for each replica. Behind a proxy that is not in trusted_proxies, all clients share one address. Does not apply to the embedded gateway. Read at start only.',
    ),
  activity: z
    .strictObject({
      keep_days: z
        .int()
        .min(0)
        .max(36_500)
        .default(90)
        .describe('Days to keep the record of each call. 0 keeps records forever. Daily totals are always kept.'),
    })
    .prefault({})
    .describe('The log of calls. Read at start only.'),
  shutdown: z
    .strictObject({
      leave_s: z
        .number()
        .min(0)
        .max(3_600)
        .default(5)
        .describe(
          "Seconds after SIGTERM during which calls are still served while /healthz answers 503, so that a load balancer sends calls elsewhere. Set it longer than the load balancer's check interval.",
        ),
      grace_s: z.number().min(0).max(86_400).default(20).describe('Seconds that running calls then have to finish.'),
    })
    .prefault({})
    .describe('How the gateway shuts down. Read at start only.'),
  stdio: z
    .strictObject({
      allowed_commands: z
        .array(z.string().min(1).max(4096))
        .default([])
        .describe('Programs that stdio MCP servers can run, as names or absolute paths.'),
    })
    .prefault({})
    .describe('MCP servers that run as processes on this machine.'),
  cloud_agents: z
    .strictObject({
      upstream_url: WebAddress.describe('Base URL of the cloud-agents service.'),
      prefix: z
        .string()
        .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'may hold small letters, digits, "_" and "-"')
        .describe('Name of the provider: the first part of classifications, as "<prefix>/<prefix>:agent:create".'),
      credential: SecretRef.optional().describe(
        'Key of the service. Default: the credential registered for the provider.',
      ),
    })
    .optional()
    .describe('The cloud-agents service behind /cloudagents.'),
};
