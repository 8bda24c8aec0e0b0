import { stdioProblem } from '../../../protocol/gateway/authTypes/index.ts';
import {
  McpCredentials,
  type McpServerCreate,
  type McpServerRecord,
  type McpServerUpdate,
} from '../../../protocol/gateway/mcpServer.ts';
import { isWebAddress } from '../../backends/registration.ts';
import { readSealedValues, sealedNames } from '../../storage/sealedValues.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import type { Call } from '../route.ts';
import { change, checkOurs, checkSame, create, created, existing, named, unlessOvertaken } from '../writes.ts';
import { checkMove } from './moved.ts';
import { checkNames } from './names.ts';
import { sealing, separateValues, withKeptValues } from './separateValues.ts';

/** What review adds to a submission. */
type Review = Pick<McpServerRecord, 'approval_status' | 'submitted_by' | 'submitted_at'>;

/** @throws {Fault} `invalid_params` or `forbidden` naming the field */
export async function checkServer(deps: ManagementDeps, server: McpServerRecord, credentials: McpCredentials) {
  const { transport, url, spec_path, command, args, auth_type } = server;
  if (transport === 'stdio') {
    if (!command) throw badField('command', 'is required for the stdio transport');
    if (!args) throw badField('args', 'is required for the stdio transport, even if it is empty ([])');
    if (url) throw badField('url', 'must be omitted for the stdio transport');
    if (spec_path) throw badField('spec_path', 'must be omitted for the stdio transport');
    const problem = stdioProblem(auth_type);
    if (problem !== undefined) throw badField('auth_type', problem);
    deps.checkCommand(server);
  } else {
    if (!url && (command || args?.length))
      throw badField('transport', 'is missing. Did you mean "stdio"? A server with a command runs on this machine');
    if (spec_path) checkSpecPath(server, spec_path);
    else if (!url) throw badField('url', `is required for the ${transport} transport`);
    if (command) throw badField('command', `must be omitted for the ${transport} transport`);
  }
  checkNames(server, await deps.store.mcp_server.all(), deps.options);
  await deps.backends.checkServer(server, credentials);
}

/** Through the API, nobody makes the gateway read a file of its machine. */
function checkSpecPath({ transport }: McpServerRecord, specPath: string): void {
  if (transport !== 'http') throw badField('transport', "must be http for a server with 'spec_path'");
  if (!isWebAddress(specPath) || !URL.canParse(specPath))
    throw badField('spec_path', 'must be an http or https URL. Only the configuration file can name a file');
}

/** @throws {Fault} as the route that registers a server */
export async function addServer(
  call: Call,
  deps: ManagementDeps,
  { server_id, credentials, ...fields }: McpServerCreate,
  review: Review = { approval_status: 'active' },
): Promise<McpServerRecord> {
  const id = server_id ?? deps.newId();
  if (!/^[\w.-]+$/.test(id)) throw badField('server_id', 'can contain only letters, digits, "_", "-", and "."');
  if (await deps.store.mcp_server.get(id)) throw badField('server_id', 'is already used by another MCP server');
  const clear: McpServerRecord = { server_id: id, ...named(fields), ...review, ...created(call, deps) };
  await checkServer(deps, clear, credentials ?? {});
  const { record, values } = separateValues(clear);
  const secrets = { credentials: present(credentials ?? {}), values };
  return create(
    call,
    deps,
    'mcp_server',
    id,
    record,
    'created',
    sealing(deps.store.secrets, 'mcp_server', id, secrets),
  );
}

/** @throws {Fault} as the route that changes a server */
export async function updateServer(
  call: Call,
  deps: ManagementDeps,
  update: McpServerUpdate,
): Promise<McpServerRecord> {
  const after = await unlessOvertaken(() => writeUpdate(call, deps, update));
  await deps.backends.forget(update.server_id);
  return after;
}

async function writeUpdate(
  call: Call,
  deps: ManagementDeps,
  { server_id, credentials, ...fields }: McpServerUpdate,
): Promise<McpServerRecord> {
  const { secrets } = deps.store;
  const before = await existing(deps, 'mcp_server', server_id);
  checkOurs(before);
  const kept = await readSealedValues(secrets, 'mcp_server', server_id);
  const { transport, ...rest } = fields;
  const written = { ...named(rest), ...(transport && { transport }) };
  const whole = withKeptValues({ ...before, ...written }, before, kept);
  const held = await readCredentials(deps, server_id);
  const wanted = { ...held, ...named(credentials ?? {}) };
  checkMove({ before, after: whole, values: kept, credentials: held }, { ...fields, credentials });
  await checkServer(deps, whole, wanted);
  const { record, values } = separateValues(whole);
  const { static_headers, env, env_vars } = record;
  const shown = named({ ...written, static_headers, env, env_vars });
  const next = (it: McpServerRecord) => {
    checkSame(it, before);
    return { ...it, ...shown };
  };
  const seal = sealing(secrets, 'mcp_server', server_id, { credentials: present(wanted), values });
  return change(call, deps, 'mcp_server', server_id, next, 'updated', seal);
}

export async function readCredentials({ store }: ManagementDeps, id: string): Promise<McpCredentials> {
  const text = await store.secrets.get('mcp_server', id, sealedNames.credentials);
  return McpCredentials.parse(text === undefined ? {} : JSON.parse(text));
}

/** `null` takes a credential away. */
const present = (credentials: McpCredentials) =>
  Object.fromEntries(Object.entries(credentials).filter(([, it]) => it !== null && it !== undefined));
