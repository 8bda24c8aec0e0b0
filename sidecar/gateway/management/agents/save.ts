import { Fault } from '../../../platform/faults.ts';
import {
  type AgentPatch,
  type AgentRecord,
  AgentSecretFields,
  type AgentWrite,
  OpenGatewayParams,
} from '../../../protocol/gateway/agent.ts';
import type { Beside } from '../../storage/records.ts';
import { readSealedValues, type SealedValues, sealedNames, withSealedValues } from '../../storage/sealedValues.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { MASK, unmasked } from '../mask.ts';
import { badField } from '../read.ts';
import type { Call } from '../route.ts';
import { kept, masked, sealing } from '../servers/separateValues.ts';
import { change, checkOurs, checkSame, create, created, existing, named, unlessOvertaken } from '../writes.ts';

/** The registered address: calls go there, whatever a card says. @throws {Fault} `invalid_params` */
export function addressOf({ agent_card_params: { url } }: Pick<AgentRecord, 'agent_card_params'>): string {
  if (typeof url === 'string' && url !== '') return url;
  throw badField('agent_card_params.url', 'is required because calls are sent to it');
}

interface Parts {
  /** With headers in clear. */
  readonly clear: AgentRecord;
  readonly secrets: AgentSecretFields;
}

/** What a person wrote, with what stays of before put in where it says {@link MASK}. */
async function partsOf(
  deps: ManagementDeps,
  base: Pick<AgentRecord, 'agent_id' | 'created_at' | 'updated_at'>,
  { gateway_params, ...fields }: AgentWrite,
  before?: AgentRecord,
): Promise<Parts> {
  const old = before && withSealedValues(before, await readSealedValues(deps.store.secrets, 'agent', before.agent_id));
  const held: AgentSecretFields = before ? await readAgentSecrets(deps, before.agent_id) : {};
  const secretNames = Object.keys(AgentSecretFields.shape) as (keyof AgentSecretFields)[];
  const secrets: AgentSecretFields = {};
  for (const name of secretNames) {
    const value = gateway_params?.[name];
    if (value) secrets[name] = value === MASK ? held[name] : value;
  }
  const params = gateway_params && OpenGatewayParams.parse(gateway_params);
  const clear = {
    ...named(fields),
    ...base,
    static_headers: unmasked(fields.static_headers, old?.static_headers),
    gateway_params: params && {
      ...params,
      static_headers: unmasked(params.static_headers, old?.gateway_params?.static_headers),
    },
  };
  return { clear, secrets: AgentSecretFields.parse(present(secrets)) };
}

/** Checked: the record as it is kept, and what is sealed with it. @throws {Fault} `invalid_params` or `forbidden`, naming the field */
async function checked(
  deps: ManagementDeps,
  { clear, secrets }: Parts,
): Promise<{ readonly record: AgentRecord; readonly seal: Beside }> {
  const { aws_region_name, aws_service_name, aws_role_name, aws_session_name } = clear.gateway_params ?? {};
  const open = { aws_region_name, aws_service_name, aws_role_name, aws_session_name };
  await deps.backends.checkAgent(clear, { ...open, ...secrets }, addressOf(clear));
  const { static_headers, gateway_params } = clear;
  const ofParams = gateway_params?.static_headers;
  const values: SealedValues = { ...kept('static_headers', static_headers), ...kept('params_headers', ofParams) };
  const seal = sealing(deps.store.secrets, 'agent', clear.agent_id, { credentials: present(secrets), values });
  const record = {
    ...clear,
    ...(static_headers && { static_headers: masked(static_headers) }),
    ...(gateway_params && {
      gateway_params: { ...gateway_params, ...(ofParams && { static_headers: masked(ofParams) }) },
    }),
  };
  return { record, seal };
}

/** @throws {Fault} as `POST /v1/agents` */
export async function addAgent(call: Call, deps: ManagementDeps, body: AgentWrite): Promise<AgentRecord> {
  const agent_id = body.agent_id ?? deps.newId();
  if (!/^[\w.-]+$/.test(agent_id)) throw badField('agent_id', 'can contain only letters, digits, "_", "-", and "."');
  if (await deps.store.agent.get(agent_id)) throw badField('agent_id', 'is already used by another agent');
  await checkName(deps, body.agent_name, agent_id);
  const { record, seal } = await checked(deps, await partsOf(deps, { agent_id, ...created(call, deps) }, body));
  return create(call, deps, 'agent', agent_id, record, 'created', seal);
}

/** @param body what the agent is from now on, or only what changes of it */
export async function changeAgent(
  call: Call,
  deps: ManagementDeps,
  agent_id: string,
  body: AgentWrite | AgentPatch,
  isWhole: boolean,
): Promise<AgentRecord> {
  const after = await unlessOvertaken(() => writeChange(call, deps, agent_id, body, isWhole));
  await deps.backends.forget(agent_id);
  return after;
}

async function writeChange(
  call: Call,
  deps: ManagementDeps,
  agent_id: string,
  body: AgentWrite | AgentPatch,
  isWhole: boolean,
): Promise<AgentRecord> {
  const before = await existing(deps, 'agent', agent_id);
  checkOurs(before);
  const { created_at, created_by, updated_at } = before;
  const base = { agent_id, created_at, created_by, updated_at };
  const wanted = isWhole ? (body as AgentWrite) : merged(before, await readAgentSecrets(deps, agent_id), body);
  await checkName(deps, wanted.agent_name, agent_id);
  const { record, seal } = await checked(deps, await partsOf(deps, base, wanted, before));
  const next = (it: AgentRecord) => {
    checkSame(it, before);
    return record;
  };
  return change(call, deps, 'agent', agent_id, next, 'updated', seal);
}

/** `gateway_params` are merged member by member; null takes one away. */
function merged(before: AgentRecord, held: AgentSecretFields, patch: AgentPatch): AgentWrite {
  const { agent_id: _, created_at: _a, created_by: _b, updated_at: _c, updated_by: _d, ...record } = before;
  const { from_config: _f, gateway_params, ...rest } = record;
  const kept = Object.fromEntries(Object.keys(held).map((name) => [name, MASK]));
  const params =
    patch.gateway_params === undefined
      ? { ...gateway_params, ...kept }
      : patch.gateway_params && { ...gateway_params, ...kept, ...named(patch.gateway_params) };
  return { ...rest, ...named(patch), gateway_params: params } as AgentWrite;
}

/** Refuses a name that another agent has as its name or id, as a wrong value of the field. */
async function checkName({ store }: ManagementDeps, name: string, own: string): Promise<void> {
  const holder = (await store.agent.byAlias(name)) ?? (await store.agent.get(name));
  if (holder && holder.agent_id !== own) throw badField('agent_name', 'is already used by another agent');
}

export async function readAgentSecrets({ store }: ManagementDeps, id: string): Promise<AgentSecretFields> {
  const text = await store.secrets.get('agent', id, sealedNames.credentials);
  if (text === undefined) return {};
  const read = AgentSecretFields.safeParse(JSON.parse(text));
  if (read.success) return read.data;
  throw new Fault('internal', "An agent's credentials cannot be read.", { cause: read.error });
}

const present = (secrets: AgentSecretFields) =>
  Object.fromEntries(Object.entries(secrets).filter(([, it]) => it !== null && it !== undefined));
