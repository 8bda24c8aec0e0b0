import { readFileSync } from 'node:fs';
import { Fault } from '../platform/faults.ts';
import type { Log } from '../platform/logger.ts';
import type { GatewayConfig } from '../protocol/gateway/config.ts';
import { findSecret, type SecretSources, secretPath } from './configuration/secretSources.ts';
import type { GatewayOptions } from './options.ts';

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
  | 'limits'
  | 'cloudAgents'
  | 'caller'
  | 'keepLogDays'
>;

/**
 * What a configuration file says about serving, as options of the gateway of a team.
 *
 * @throws {Fault} `invalid_params` for a certificate or credential that cannot be read
 */
export async function servingOf(config: GatewayConfig, sources: SecretSources, log: Log): Promise<Serving> {
  const { listen, limits, caller } = config;
  const { folder } = sources;
  const pem = (path: string, field: string) => readText(secretPath(path, folder), `listen.tls.${field}`);
  return {
    listen: {
      host: listen.host,
      port: listen.port,
      allowInsecure: listen.allow_insecure,
      ...(listen.tls && {
        tls: { cert: pem(listen.tls.cert_file, 'cert_file'), key: pem(listen.tls.key_file, 'key_file') },
      }),
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
    limits: {
      maxBodyBytes: limits.body_bytes,
      maxResponseBytes: limits.response_bytes,
      timeoutMs: limits.timeout_s * 1_000,
      listTimeoutMs: limits.list_timeout_s * 1_000,
      sessionIdleMs: limits.session_idle_s * 1_000,
      maxSessionsPerCaller: limits.sessions_per_caller,
      pageSize: limits.page_size,
    },
    keepLogDays: config.activity.keep_days,
    cloudAgents: await readCloudAgents(config, sources, log),
    caller: {
      subscriptionKeyHeaders: caller.subscription_key_headers,
      ...(caller.end_user_header !== undefined && { endUserHeader: caller.end_user_header }),
    },
  };
}

/** @throws {Fault} `invalid_params` for a credential that is not there */
async function readCloudAgents(
  { cloud_agents: it }: GatewayConfig,
  sources: SecretSources,
  log: Log,
): Promise<GatewayOptions['cloudAgents']> {
  if (!it) return undefined;
  const service = { upstreamUrl: it.upstream_url, prefix: it.prefix };
  if (!it.credential) return service;
  const found = await findSecret(it.credential, sources);
  if ('missing' in found) {
    const field = 'cloud_agents.credential';
    throw new Fault('invalid_params', `${field}: ${found.missing}`, { data: { field } });
  }
  log.hide(found.value);
  return { ...service, credential: found.value };
}

/** @param field as the person knows it @throws {Fault} `invalid_params` */
export function readText(path: string, field: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault('invalid_params', `The file of ${field} cannot be read.`, { data: { field }, cause });
  }
}
