import { Fault } from '../../../platform/faults.ts';
import {
  type ModelRecord,
  ModelSecretFields,
  type ModelUpdate,
  type ModelWrite,
  modelAddress,
  OpenModelParams,
  patternProblem,
} from '../../../protocol/gateway/model.ts';
import type { Beside } from '../../storage/records.ts';
import { sealedNames } from '../../storage/sealedValues.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { MASK } from '../mask.ts';
import { badField } from '../read.ts';
import type { Call } from '../route.ts';
import { change, checkOurs, checkSame, create, created, existing, named, unlessOvertaken } from '../writes.ts';

/** Where calls to a model are sent. @throws {Fault} `invalid_params` if neither the model nor its provider has an address */
function addressOf(params: OpenModelParams): string {
  const url = modelAddress(params);
  if (url !== undefined) return url;
  throw badField('gateway_params.api_base', 'is required for this provider');
}

/** @throws {Fault} `invalid_params` naming the field */
async function check(deps: ManagementDeps, record: ModelRecord): Promise<void> {
  const { credential_name, model } = record.gateway_params;
  const problem = patternProblem(record.model_name, model);
  if (problem) throw badField('gateway_params.model', problem);
  if (credential_name && !(await deps.store.credential.get(credential_name)))
    throw badField('gateway_params.credential_name', 'refers to a credential that does not exist');
  await deps.backends.checkModel(record, addressOf(record.gateway_params));
}

const sealing = ({ store }: ManagementDeps, id: string, secrets: ModelSecretFields): Beside =>
  async function seal(transaction) {
    const sealed = store.secrets.within(transaction);
    if (secrets.api_key) await sealed.put('model', id, sealedNames.credentials, JSON.stringify(secrets));
    else await sealed.remove('model', id, sealedNames.credentials);
  };

/** @throws {Fault} as `POST /model/new` */
export async function addModel(call: Call, deps: ManagementDeps, body: ModelWrite): Promise<ModelRecord> {
  const { model_id: wanted, gateway_params, ...fields } = body;
  const { api_key, ...params } = gateway_params;
  const model_id = wanted ?? deps.newId();
  if (await deps.store.model.get(model_id)) throw badField('model_id', 'is already used by another model');
  const record: ModelRecord = { model_id, ...named(fields), gateway_params: named(params), ...created(call, deps) };
  await check(deps, record);
  const secrets = api_key === MASK ? {} : { api_key };
  return create(call, deps, 'model', model_id, record, 'created', sealing(deps, model_id, secrets));
}

/** `gateway_params` are merged member by member; null clears one. @throws {Fault} as `POST /model/update` */
export const changeModel = (call: Call, deps: ManagementDeps, body: ModelUpdate): Promise<ModelRecord> =>
  unlessOvertaken(() => writeChange(call, deps, body));

async function writeChange(call: Call, deps: ManagementDeps, body: ModelUpdate): Promise<ModelRecord> {
  const { model_id, gateway_params, ...fields } = body;
  const before = await existing(deps, 'model', model_id);
  checkOurs(before);
  const held = await readModelSecrets(deps, model_id);
  const { api_key = MASK, ...params } = gateway_params ?? {};
  const merged = OpenModelParams.safeParse({ ...before.gateway_params, ...named(params) });
  if (!merged.success) throw badField('gateway_params.model', 'is required');
  const record = { ...before, ...named(fields), gateway_params: merged.data };
  await check(deps, record);
  // A key must not be sent to another address than the one that it was entered for.
  if (api_key === MASK && held.api_key && addressOf(record.gateway_params) !== addressOf(before.gateway_params))
    throw badField('gateway_params.api_key', 'is required again because the address changes');
  const next = (it: ModelRecord) => {
    checkSame(it, before);
    return record;
  };
  const secrets = api_key === MASK ? held : { api_key };
  return change(call, deps, 'model', model_id, next, 'updated', sealing(deps, model_id, secrets));
}

export async function readModelSecrets({ store }: ManagementDeps, id: string): Promise<ModelSecretFields> {
  const text = await store.secrets.get('model', id, sealedNames.credentials);
  if (text === undefined) return {};
  const read = ModelSecretFields.safeParse(JSON.parse(text));
  if (read.success) return read.data;
  throw new Fault('internal', "A model's key cannot be read.", { cause: read.error });
}
