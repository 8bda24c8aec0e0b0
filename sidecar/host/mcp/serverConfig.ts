import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { Fault } from '../../platform/faults.ts';

/** What a file says of a server, as it is written there. */
export interface ServerDefinition {
  readonly name: string;
  readonly raw: unknown;
  /** The folder that the definition belongs to; absolute. Absent for what lies with a client. */
  readonly folder?: string;
}

export type ServerConfig = StdioServer | HttpServer;
export interface StdioServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Over the plain environment of a program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}
export interface HttpServer {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The client as which its authorization server knows us; then nobody registers one. */
  readonly oauthClient?: { readonly clientId: string; readonly clientSecret?: string };
}

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const Texts = z.record(z.string(), scalar);
const Definition = z.looseObject({
  type: z.enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
  command: z.string().min(1).optional(),
  args: z.array(scalar).optional(),
  env: Texts.optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: Texts.optional(),
  oauth: z.object({ clientId: z.string().min(1), clientSecret: z.string().optional() }).optional(),
});

/**
 * A server as VS Code, Claude and Cursor write it. `${workspaceFolder}`, `${CLAUDE_PLUGIN_ROOT}`, `${env:NAME}`, `${NAME}`
 * and `${NAME:-else}` are filled in.
 * @param env of the window whose folder it is
 * @throws {Fault} `invalid_params`, naming the member
 */
export function readServerConfig(
  { name, raw, folder }: ServerDefinition,
  env: Readonly<Record<string, string>>,
): ServerConfig {
  const parsed = Definition.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid([name, ...(issue?.path ?? [])], issue?.message ?? 'cannot be read');
  }
  const { type, command, url, oauth } = parsed.data;
  const text = (value: string, at: string) => fill(value, { env, folder, at: `${name}.${at}` });
  const texts = (values: Readonly<Record<string, string>> = {}, at: string) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value, `${at}.${key}`)]));
  if (type === 'stdio' || (type === undefined && command !== undefined)) {
    if (command === undefined) throw invalid([name, 'command'], 'is required');
    const { args = [], cwd } = parsed.data;
    const wanted = cwd === undefined ? folder : text(cwd, 'cwd');
    if (wanted !== undefined && !isAbsolute(wanted) && folder === undefined)
      throw invalid([name, 'cwd'], 'must be an absolute path because the server does not belong to a folder');
    const at = wanted === undefined || isAbsolute(wanted) ? wanted : resolve(folder ?? '', wanted);
    return {
      kind: 'stdio',
      command: program(text(command, 'command'), folder),
      args: args.map((it, index) => text(it, `args.${index}`)),
      env: texts(parsed.data.env, 'env'),
      ...(at !== undefined && { cwd: at }),
    };
  }
  if (url === undefined) throw invalid([name], 'must have a command or a url');
  const address = text(url, 'url');
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw invalid([name, 'url'], 'must be an http or https URL');
  return {
    kind: type === 'sse' ? 'sse' : 'http',
    url: address,
    headers: texts(parsed.data.headers, 'headers'),
    ...(oauth && {
      oauthClient: {
        clientId: oauth.clientId,
        ...(oauth.clientSecret !== undefined && { clientSecret: text(oauth.clientSecret, 'oauth.clientSecret') }),
      },
    }),
  };
}

/** A path is meant from the folder; a plain name is looked up on PATH. */
function program(command: string, folder: string | undefined): string {
  return !isAbsolute(command) && /[/\\]/.test(command) && folder !== undefined ? resolve(folder, command) : command;
}

interface Filling {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string | undefined;
  readonly at: string;
}

function fill(value: string, { env, folder, at }: Filling): string {
  return value.replace(/\$\{([^}]*)\}/g, (_whole, inner: string) => {
    if (['workspaceFolder', 'CLAUDE_PLUGIN_ROOT', 'CLAUDE_PROJECT_DIR'].includes(inner)) {
      if (folder === undefined) throw invalid([at], `\${${inner}}: the server does not belong to a folder`);
      return folder;
    }
    const found = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner);
    if (!found) throw invalid([at], `\${${inner}} is not supported`);
    const name = found[1] ?? '';
    const set = (Object.hasOwn(env, name) ? env[name] : undefined) ?? found[2];
    if (set === undefined && !inner.startsWith('env:')) throw invalid([at], `\${${inner}} is not set`);
    return set ?? '';
  });
}

function invalid(path: readonly PropertyKey[], message: string): Fault {
  return new Fault('invalid_params', `${path.map(String).join('.')}: ${message}`);
}
