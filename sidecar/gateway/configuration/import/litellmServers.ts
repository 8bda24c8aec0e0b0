import { isRecord } from '../../../platform/isRecord.ts';
import { ConfigServer } from '../../../protocol/gateway/config/server.ts';
import { McpCredentials } from '../../../protocol/gateway/mcpServer.ts';
import { cleanAddress } from './addresses.ts';
import { secretPlace, withEnviron } from './environ.ts';
import { type Collector, type Fields, soundsSecret, variableName } from './imported.ts';
import { toValue } from './placeholders.ts';

/** Members that LiteLLM calls otherwise. */
const renamed: Readonly<Record<string, string>> = {
  access_groups: 'mcp_access_groups',
  authentication_token: 'auth_value',
  mcp_server_name: 'server_name',
};
const authTypes: Readonly<Record<string, string>> = { aws_sigv4: 'cloud_sigv4', bearer: 'bearer_token' };
const secrets = [
  'auth_value',
  'client_secret',
  'client_private_key',
  'aws_access_key_id',
  'aws_secret_access_key',
  'aws_session_token',
];

/** `mcp_servers` of a LiteLLM configuration. Without a transport it means `http` there. */
export function importLitellmServers(servers: Fields, aliases: Fields, to: Collector): void {
  for (const [name, raw] of Object.entries(servers)) {
    const at = `mcp_servers.${name}`;
    if (!isRecord(raw)) {
      to.note(at, 'skipped: it is not an object { }');
      continue;
    }
    const alias = Object.entries(aliases).find(([, it]) => it === name)?.[0];
    const entry = toEntry(name, withEnviron(raw) as Fields, at, to);
    to.take(at, 'mcp_servers', to.serverName(at, name), { ...entry, ...(alias !== undefined && { alias }) });
  }
  for (const [alias, name] of Object.entries(aliases))
    if (typeof name !== 'string' || !Object.hasOwn(servers, name))
      to.note(`litellm_settings.mcp_aliases.${alias}`, 'skipped: the MCP server does not exist');
}

function toEntry(name: string, server: Fields, at: string, to: Collector): Fields {
  const entry: Record<string, unknown> = {};
  const credentials: Record<string, unknown> = {};
  const hasAuth = typeof server['auth_type'] === 'string' && server['auth_type'] !== 'none';
  const nested = isRecord(server['credentials']) ? server['credentials'] : {};
  for (const [key, value] of [...Object.entries(server), ...Object.entries(nested)]) {
    if (key === 'credentials' || value === null) continue;
    const member = renamed[key] ?? key;
    const path = `${at}.${key}`;
    if (secrets.includes(member)) {
      const place = secretPlace(value, variableName(name, member), path, to);
      if (place) credentials[member] = place;
    } else if (member === 'auth_type') entry[member] = (typeof value === 'string' && authTypes[value]) || value;
    else if ((member === 'static_headers' || member === 'env') && isRecord(value))
      entry[member] = texts(name, value, path, to);
    else if (typeof value === 'string' && isAddress(member)) {
      const { text, auth } = cleanAddress(name, value, path, member !== 'url' || hasAuth, to);
      entry[member] = text;
      Object.assign(entry, auth && { auth_type: auth.auth_type });
      Object.assign(credentials, auth?.credentials);
    } else if (member === 'args' && Array.isArray(value))
      entry[member] = value.map((it: unknown) =>
        typeof it === 'string' ? cleanAddress(name, it, path, true, to).text : it,
      );
    else if (member in ConfigServer.shape) entry[member] = value;
    else if (member in McpCredentials.shape) credentials[member] = value;
    else to.note(path, 'not imported: the gateway does not support this member');
  }
  if (Object.keys(credentials).length > 0) entry['credentials'] = credentials;
  const isApi = typeof entry['spec_path'] === 'string' && entry['spec_path'] !== '';
  if (isApi) {
    to.note(`${at}.spec_path`, 'tool names can differ: the gateway uses the operation IDs of the document');
    return { ...entry, transport: 'http' };
  }
  return { transport: entry['command'] === undefined ? 'http' : 'stdio', ...entry };
}

const isAddress = (member: string): boolean =>
  member === 'url' || member === 'spec_path' || member.endsWith('_url') || member === 'issuer';

function texts(server: string, all: Fields, at: string, to: Collector): Fields {
  const entries = Object.entries(all).map(([name, value]) => {
    if (isRecord(value)) return [name, value];
    const own = soundsSecret(name) ? variableName(server, name) : variableName(name);
    return [name, toValue(String(value), name, own, `${at}.${name}`, to)];
  });
  return Object.fromEntries(entries) as Fields;
}
