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
        .describe('Address to listen at. Default: this machine alone.'),
      port: z.int().min(0).max(65_535).default(0).describe('Port; 0 takes a free one.'),
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
        .describe('Listen beyond this machine without tls, because something in front of the gateway does TLS.'),
    })
    .prefault({})
    .describe('Where the gateway listens. Read at start only.'),
  public_url: WebAddress.optional().describe('The address that callers use, where a proxy is in front of the gateway.'),
  trusted_proxies: z
    .array(Address)
    .default([])
    .describe('Proxies whose X-Forwarded-* headers are believed, as addresses or networks.'),
  allowed_hosts: z
    .array(z.string().min(1).max(256))
    .default([])
    .describe('Names that the Host header may have, besides those of this machine and of public_url.'),
  allowed_origins: z
    .array(z.url({ error: 'must be an origin as https://app.example.com' }))
    .default([])
    .describe('Web pages of these origins may call the gateway from a browser.'),
  trusted_redirects: z
    .array(z.url({ error: 'must be an address as editor://vendor.extension/callback' }).max(1_024))
    .default([])
    .describe(
      'Where MCP clients may be answered after a sign-in, besides https addresses and this machine: each to the letter.',
    ),
  caller: z
    .strictObject({
      subscription_key_headers: z
        .array(HeaderName)
        .default(['ocp-apim-subscription-key'])
        .describe('Headers of API-management products that may carry the virtual key.'),
      end_user_header: HeaderName.optional().describe('A header of yours that names the end user.'),
    })
    .prefault({})
    .describe('How callers say who they are, besides the headers that always count.'),
  limits: z
    .strictObject({
      body_bytes: z.int().min(1_024).default(10_000_000).describe('Largest request body.'),
      response_bytes: z
        .int()
        .min(1_024)
        .default(32_000_000)
        .describe('Largest answer of a backend that is held in memory.'),
      timeout_s: z
        .number()
        .positive()
        .max(86_400)
        .default(60)
        .describe('Seconds that a backend may be silent, where it names no timeout.'),
      list_timeout_s: z
        .number()
        .positive()
        .max(3_600)
        .default(10)
        .describe('Seconds for each server when several are listed.'),
      session_idle_s: z
        .number()
        .positive()
        .default(1_800)
        .describe('Seconds until an MCP session that nobody uses is forgotten.'),
      sessions_per_caller: z.int().positive().default(256).describe('MCP sessions of one caller.'),
      page_size: z
        .int()
        .positive()
        .max(10_000)
        .default(256)
        .describe('Tools, resources or prompts on a page of a merged list.'),
    })
    .prefault({})
    .describe('Sizes and times.'),
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
          .describe('Members of params. A member that differs from one of them only in case, "_" or "-" is refused.'),
      }),
    )
    .default({})
    .describe(
      'Methods beside those of MCP that clients may use, by name: extensions of a vendor. They reach the server of an address with one server, and no rule for tools looks at them. Names that begin with notifications/ are notifications. Every other method is answered with "method not found". Read at start only.',
    ),
  throttle: z
    .strictObject({
      wrong_keys_per_minute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe(
          'Unknown keys that one address may send in a minute; then it is told to wait (429). Keys that were good on this replica go on at the same address. 0: no limit.',
        ),
      registrations_per_minute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe(
          'OAuth clients that one address may register in a minute; then it is told to wait (429). 0: no limit.',
        ),
    })
    .prefault({})
    .describe(
      'What one address may try, by replica. Behind a proxy that is not in trusted_proxies everybody has one address. Not for the gateway of your own editor. Read at start only.',
    ),
  activity: z
    .strictObject({
      keep_days: z
        .int()
        .min(0)
        .max(36_500)
        .default(90)
        .describe('Days that the line of each call is kept; 0 keeps them for ever. Sums by day stay in any case.'),
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
          'Seconds after SIGTERM in which everything is still served while /healthz answers 503, so that a load balancer sends its calls elsewhere. Longer than its interval of checks.',
        ),
      grace_s: z.number().min(0).max(86_400).default(20).describe('Seconds that calls under way may take after that.'),
    })
    .prefault({})
    .describe('How the gateway leaves. Read at start only.'),
  stdio: z
    .strictObject({
      allowed_commands: z
        .array(z.string().min(1).max(4096))
        .default([])
        .describe('Programs that MCP servers with transport stdio may run, as names or absolute paths.'),
    })
    .prefault({})
    .describe('MCP servers that are processes of this machine.'),
  cloud_agents: z
    .strictObject({
      upstream_url: WebAddress.describe('Base address of the cloud-agents service.'),
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
