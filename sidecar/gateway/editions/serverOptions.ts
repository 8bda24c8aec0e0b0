import { readFileSync } from 'node:fs';
import type { GatewayListen } from '../../launch/gateway/gatewayContract.ts';
import { Fault } from '../../platform/faults.ts';
import type { Log } from '../../platform/logger.ts';
import type { SecretRef } from '../../protocol/gateway/config/secretRef.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import { findSecret, type SecretSources, secretPath } from '../configuration/secretSources.ts';
import type { Certificate } from '../http/listen.ts';
import type { GatewayOptions } from '../options.ts';

type Serving = Pick<
  GatewayOptions,
  | 'listen'
  | 'publicUrl'
  | 'allowedHosts'
  | 'allowedOrigins'
  | 'trustedProxies'
  | 'trustedRedirects'
  | 'defaultAccess'
  | 'emptyListInherits'
  | 'separator'
  | 'alwaysPrefix'
  | 'toolSearchAbove'
  | 'limits'
  | 'mcpMethods'
  | 'cloudAgents'
  | 'caller'
  | 'jwt'
  | 'keepLogDays'
  | 'keepAuditDays'
  | 'content'
  | 'throttle'
  | 'otlp'
  | 'signIn'
>;

/**
 * What a configuration file says about serving, as options of the gateway of a team. Where the command line says where to
 * listen, that counts.
 *
 * @throws {Fault} `invalid_params` for a certificate or credential that cannot be read
 */
export async function servingOf(
  config: GatewayConfig,
  sources: SecretSources,
  log: Log,
  asked?: GatewayListen,
): Promise<Serving> {
  const { listen, limits, caller } = config;
  const tls = certificateFiles(config, sources.folder);
  return {
    listen: {
      host: asked?.host ?? listen.host,
      port: asked?.port ?? listen.port,
      allowInsecure: listen.allow_insecure,
      ...(tls && { tls: readCertificate(tls) }),
    },
    publicUrl: config.public_url,
    allowedHosts: config.allowed_hosts,
    allowedOrigins: config.allowed_origins,
    trustedProxies: config.trusted_proxies,
    trustedRedirects: config.trusted_redirects,
    defaultAccess: config.default_access ?? 'none',
    emptyListInherits: config.empty_list_inherits,
    separator: config.separator,
    alwaysPrefix: config.always_prefix,
    toolSearchAbove: config.tool_search?.above,
    limits: {
      maxBodyBytes: limits.body_bytes,
      maxResponseBytes: limits.response_bytes,
      timeoutMs: limits.timeout_s * 1_000,
      listTimeoutMs: limits.list_timeout_s * 1_000,
      sessionIdleMs: limits.session_idle_s * 1_000,
      maxSessionsPerCaller: limits.sessions_per_caller,
      keepMs: limits.disconnected_s * 1_000,
      keepBytes: limits.disconnected_bytes,
      keepCalls: limits.disconnected_calls,
      pageSize: limits.page_size,
    },
    mcpMethods: config.mcp_methods,
    keepLogDays: config.activity.keep_days,
    content: contentOf(config),
    keepAuditDays: config.retention.audit_days,
    throttle: {
      wrongKeysPerMinute: config.throttle.wrong_keys_per_minute,
      registrationsPerMinute: config.throttle.registrations_per_minute,
    },
    cloudAgents: await readCloudAgents(config, sources, log),
    jwt: config.jwt,
    otlp: await readOtlp(config, sources, log),
    signIn: await readSignIn(config, sources, log),
    caller: {
      subscriptionKeyHeaders: caller.subscription_key_headers,
      ...(caller.end_user_header !== undefined && { endUserHeader: caller.end_user_header }),
    },
  };
}

function contentOf({ activity: { content } }: GatewayConfig): GatewayOptions['content'] {
  if (!content) return undefined;
  const { keep_days: keepDays, max_bytes: maxBytes, redact_personal_data: redactsPersonalData } = content;
  return { keepDays, maxBytes, redactsPersonalData };
}

/** Limits of the processes of stdio servers. */
export const processLimits = ({ stdio }: GatewayConfig) => ({
  maxProcesses: stdio.max_processes,
  idleMs: stdio.idle_s * 1_000,
});

export interface CertificateFiles {
  readonly cert_file: string;
  readonly key_file: string;
}

/** Absolute paths; `undefined` for a gateway without TLS of its own. */
export function certificateFiles({ listen }: GatewayConfig, folder: string): CertificateFiles | undefined {
  const { tls } = listen;
  return tls && { cert_file: secretPath(tls.cert_file, folder), key_file: secretPath(tls.key_file, folder) };
}

/** @throws {Fault} `invalid_params` naming the file that cannot be read */
export const readCertificate = ({ cert_file, key_file }: CertificateFiles): Certificate => ({
  cert: readText(cert_file, 'listen.tls.cert_file'),
  key: readText(key_file, 'listen.tls.key_file'),
});

/** @throws {Fault} `invalid_params` for a credential that is not there */
async function readCloudAgents(
  { cloud_agents: it }: GatewayConfig,
  sources: SecretSources,
  log: Log,
): Promise<GatewayOptions['cloudAgents']> {
  if (!it) return undefined;
  const service = { upstreamUrl: it.upstream_url, prefix: it.prefix };
  if (!it.credential) return service;
  return { ...service, credential: await secretOf(it.credential, 'cloud_agents.credential', sources, log) };
}

/** @throws {Fault} `invalid_params` for a header whose value is not there */
async function readOtlp(
  { telemetry: { otlp } }: GatewayConfig,
  sources: SecretSources,
  log: Log,
): Promise<GatewayOptions['otlp']> {
  if (!otlp) return undefined;
  const { endpoint, traces, metrics, sample_ratio: sampleRatio, interval_s } = otlp;
  const headers = await headersOf(otlp.headers, 'telemetry.otlp.headers', sources, log);
  return { endpoint, headers, traces, metrics, sampleRatio, intervalMs: interval_s * 1_000 };
}

/** @param field as the person knows it @throws {Fault} `invalid_params` for a header whose value is not there */
export async function headersOf(
  refs: Readonly<Record<string, SecretRef>>,
  field: string,
  sources: SecretSources,
  log: Log,
): Promise<Readonly<Record<string, string>>> {
  const headers: Record<string, string> = {};
  for (const [name, ref] of Object.entries(refs)) headers[name] = await secretOf(ref, `${field}.${name}`, sources, log);
  return headers;
}

/** @throws {Fault} `invalid_params` for a secret that is not there */
async function readSignIn(
  { sign_in: it }: GatewayConfig,
  sources: SecretSources,
  log: Log,
): Promise<GatewayOptions['signIn']> {
  if (!it?.client_secret) return it && { ...it, client_secret: undefined };
  return { ...it, client_secret: await secretOf(it.client_secret, 'sign_in.client_secret', sources, log) };
}

/** @param field as the person knows it @throws {Fault} `invalid_params` for one that is not there */
async function secretOf(ref: SecretRef, field: string, sources: SecretSources, log: Log): Promise<string> {
  const found = await findSecret(ref, sources);
  if ('missing' in found) throw new Fault('invalid_params', `${field}: ${found.missing}`, { data: { field } });
  log.hide(found.value);
  return found.value;
}

/** @param field as the person knows it @throws {Fault} `invalid_params` */
export function readText(path: string, field: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault('invalid_params', `The file specified by ${field} cannot be read.`, { data: { field }, cause });
  }
}
