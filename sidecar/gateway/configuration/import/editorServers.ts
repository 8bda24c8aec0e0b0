import { isRecord } from '../../../platform/isRecord.ts';
import { fetchesLoosely } from '../../../platform/loosePackage.ts';
import { type CleanAddress, cleanAddress } from './addresses.ts';
import { fromHeaders } from './headers.ts';
import { Collector, type Fields, type Imported, variableName } from './imported.ts';
import { editorOnly, toValue } from './placeholders.ts';

/** Members that say nothing to a gateway. */
const ofEditors = ['type', 'gallery', 'version', 'dev', 'disabled', 'name'];
const transports: Readonly<Record<string, string>> = {
  stdio: 'stdio',
  sse: 'sse',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
};

/** A word that nobody knows goes on as it is, for the message. */
const transportOf = (type: unknown) => (typeof type === 'string' ? (transports[type] ?? type) : (type ?? 'http'));

/** Where editors keep their servers: `.vscode/mcp.json`, `mcpServers`, or `mcp.servers` of a settings file. */
export function editorServers(file: unknown): { readonly path: string; readonly servers: Fields } | undefined {
  if (!isRecord(file)) return undefined;
  const { servers, mcpServers, mcp } = file;
  if (isRecord(mcpServers)) return { path: 'mcpServers', servers: mcpServers };
  if (isRecord(servers)) return { path: 'servers', servers };
  return isRecord(mcp) && isRecord(mcp['servers']) ? { path: 'mcp.servers', servers: mcp['servers'] } : undefined;
}

/** The servers of an editor's file. `${input:x}` and secrets in clear text become environment variables, and are reported. */
export function importEditorServers({ path, servers }: { readonly path: string; readonly servers: Fields }): Imported {
  const to = new Collector();
  const programs = new Set<string>();
  for (const [name, server] of Object.entries(servers)) {
    const at = `${path}.${name}`;
    if (!isRecord(server)) to.note(at, 'skipped: it is not an object { }');
    else if (server['disabled'] === true) to.note(at, 'skipped: it is disabled');
    else {
      const entry = toEntry(name, server, at, to);
      if (!entry) continue;
      to.take(at, 'mcp_servers', to.serverName(at, name), entry);
      if (typeof entry['command'] !== 'string') continue;
      programs.add(entry['command']);
      if (fetchesLoosely(entry['command'], texts(entry['args'])))
        to.note(
          `${at}.args`,
          'add the exact package version, such as name@1.2.3. Without it, only your own editor can start the server',
        );
    }
  }
  if (programs.size > 0) {
    to.set('stdio', { stdio: { allowed_commands: [...programs] } });
    to.note(
      'stdio',
      `review stdio.allowed_commands. It allows servers to run ${[...programs].join(', ')} on this machine`,
    );
  }
  return to.imported;
}

const texts = (args: unknown) => (Array.isArray(args) ? args.filter((it) => typeof it === 'string') : []);

function toEntry(name: string, server: Fields, at: string, to: Collector): Fields | undefined {
  const { type, url, serverUrl, command, args, env, headers, timeout, description, ...rest } = server;
  const address = url ?? serverUrl;
  const given = [address, command, ...texts(args)].filter((it) => typeof it === 'string');
  const unknown = given.map(editorOnly).find((it) => it !== undefined);
  if (unknown !== undefined) {
    to.note(at, `skipped: ${unknown} is available only in an editor`);
    return undefined;
  }
  for (const member of Object.keys(rest).filter((it) => !ofEditors.includes(it)))
    to.note(`${at}.${member}`, 'not imported: the gateway does not support this member');
  const transport = command === undefined ? transportOf(type) : 'stdio';
  const hasAuth = isRecord(headers) && Object.keys(headers).some((it) => /^(authorization|x-api-key)$/i.test(it));
  const member = url === undefined ? 'serverUrl' : 'url';
  const reached: Pick<CleanAddress, 'auth'> & { readonly text: unknown } =
    typeof address === 'string' ? cleanAddress(name, address, `${at}.${member}`, hasAuth, to) : { text: address };
  const clean = (it: unknown) => (typeof it === 'string' ? cleanAddress(name, it, `${at}.args`, true, to).text : it);
  return {
    ...(description !== undefined && { description }),
    transport,
    ...(address !== undefined && { url: reached.text }),
    ...reached.auth,
    ...(command !== undefined && { command }),
    ...(args !== undefined && { args: Array.isArray(args) ? args.map(clean) : args }),
    ...(isRecord(env) && { env: toEnv(name, env, `${at}.env`, to) }),
    ...(timeout !== undefined && { timeout }),
    ...(isRecord(headers) && fromHeaders(name, headers, `${at}.headers`, to)),
  };
}

function toEnv(server: string, env: Fields, at: string, to: Collector): Fields {
  const entries = Object.entries(env).flatMap(([name, raw]) => {
    if (raw === null) return [];
    const own = /^[A-Za-z_]\w*$/.test(name) ? name : variableName(server, name);
    return [[name, toValue(typeof raw === 'string' ? raw : JSON.stringify(raw), name, own, `${at}.${name}`, to)]];
  });
  return Object.fromEntries(entries) as Fields;
}
